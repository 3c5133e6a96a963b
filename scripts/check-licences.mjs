// Prints the licences of a production installation, and fails on one that has not been agreed to.
import { productionPackages } from './production-packages.mjs';

/** All of them let the software be used in a product whose source is not given away. */
const AGREED = [
  'MIT',
  'MIT-0',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'Python-2.0',
  'Unlicense',
];

/** Of an expression with OR one is enough, of one with AND each must be agreed to. */
const isAgreed = (/** @type {string} */ expression) =>
  expression
    .replace(/[()]/g, '')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((license) => AGREED.includes(license.trim())));

/** @type {Map<string, string[]>} */
const byLicense = new Map();
for (const { name, version, license } of productionPackages) {
  byLicense.set(license, [...(byLicense.get(license) ?? []), `${name}@${version}`]);
}
for (const [license, packages] of [...byLicense].toSorted(([, a], [, b]) => b.length - a.length)) {
  console.log(`${license} (${packages.length}): ${packages.toSorted().join(', ')}`);
}
for (const license of byLicense.keys()) {
  if (isAgreed(license)) continue;
  console.error(`The licence ${license} has not been agreed to: ${(byLicense.get(license) ?? []).join(', ')}`);
  process.exitCode = 1;
}
