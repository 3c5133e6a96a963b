// npm run bench [-- SCENARIO…]: prints tables, writes bench/results, and exits 0 only when every goal holds.
import { holds, judged } from './support/judge.mjs';
import { writeResult } from './support/results.mjs';

const USUAL = [
  'packages',
  'limits',
  'cold',
  'memory',
  'reference',
  'me',
  'login',
  'register',
  'storm',
  'known-address',
];
const LONG = ['embedded', 'replicas', 'scale', 'peers'];

const given = process.argv.slice(2);
const unknown = given.filter((name) => ![...USUAL, ...LONG].includes(name));
if (unknown.length > 0) {
  console.error(`usage: npm run bench [-- ${[...USUAL, ...LONG].join('|')} …]\nWithout a name: ${USUAL.join(', ')}`);
  process.exit(2);
}

for (const name of given.length > 0 ? given : USUAL) {
  /** @type {{ title: string, measure: () => import('./support/judge.mjs').Measurement }} */
  const { title, measure } = await import(`./scenarios/${name}.mjs`);
  console.log(`\n== ${name}: ${title}`);
  const measurement = await judged(measure);
  writeResult(name, title, measurement);
  if (!measurement.figures.every(holds)) process.exitCode = 1;
}
