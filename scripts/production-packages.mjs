import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const read = (/** @type {string} */ path) => JSON.parse(readFileSync(join(root, path), 'utf8'));

/**
 * What npm knows of an installed package.
 * @typedef {object} ProductionPackage
 * @property {string} path
 * @property {string} name
 * @property {string} version
 * @property {string} integrity
 * @property {string} license
 * @property {string[]} dependencies paths of the packages that this one finds under the names of its dependencies
 */

/**
 * Licences that stand in a package, but not in its manifest.
 * @type {Record<string, string>}
 */
const UNDECLARED = { 'pause@0.0.1': 'MIT' };

/** @typedef {{ version: string, integrity: string, dev?: boolean, optional?: boolean, [kind: string]: unknown }} Locked */

/** @type {Record<string, Locked>} */
const locked = read('package-lock.json').packages;

/** @type {{ name: string, version: string }} */
export const project = read('package.json');

/**
 * Every package that `npm ci --omit=dev` installs on this machine, those for other platforms left out.
 * @type {ProductionPackage[]}
 */
export const productionPackages = Object.entries(locked).flatMap(([path, entry]) => {
  if (path === '' || entry.dev) return [];
  const manifest = manifestOf(path);
  if (!manifest && entry.optional) return [];
  if (!manifest) throw new Error(`${path} is not installed: run npm ci`);
  const { name, license, licenses } = manifest;
  const { version, integrity } = entry;
  const declared =
    license ?? licenses?.map(({ type }) => type).join(' OR ') ?? UNDECLARED[`${name}@${version}`] ?? 'none';
  return [{ path, name, version, integrity, license: declared, dependencies: dependenciesOf(path, entry) }];
});

/** The paths of what the project itself depends on. */
export const directDependencies = dependenciesOf('', locked[''] ?? {});

/**
 * @param {string} path
 * @returns {{ name: string, license?: string, licenses?: { type: string }[] } | null} `licenses` in old manifests
 */
function manifestOf(path) {
  try {
    return read(join(path, 'package.json'));
  } catch {
    return null;
  }
}

/**
 * As Node looks for them: beside the package, then further up.
 * @param {string} path
 * @param {Record<string, unknown>} entry
 */
function dependenciesOf(path, entry) {
  const names = ['dependencies', 'optionalDependencies', 'peerDependencies'].flatMap((kind) =>
    Object.keys(entry[kind] ?? {}),
  );
  return [...new Set(names)].flatMap((name) => {
    for (let from = path; ; from = from.slice(0, Math.max(from.lastIndexOf('/node_modules/'), 0))) {
      const found = `${from === '' ? '' : `${from}/`}node_modules/${name}`;
      if (locked[found] && !locked[found].dev) return [found];
      if (from === '') return [];
    }
  });
}
