// npm run bench [-- SCENARIO…]: prints one table, and exits 1 when a figure misses its goal by more than a tenth.
import { isMissed, printHeader, printRow } from './support/figures.mjs';

const USUAL = ['start', 'me', 'logins', 'storm', 'reference', 'limits', 'known-address', 'recovery', 'events'];
/** All but the first take many minutes and up to 12 GB of disk. */
const BY_NAME_ONLY = ['size', 'scale', 'console-search', 'audit-months'];

const names = process.argv.slice(2);
const known = [...USUAL, ...BY_NAME_ONLY];
if (!names.every((name) => known.includes(name))) {
  console.error(`usage: npm run bench [-- ${known.join('|')} …]\nWithout a name: ${USUAL.join(', ')}`);
  process.exit(2);
}

printHeader();
for (const name of names.length > 0 ? names : USUAL) {
  /** @type {{ measure: () => Promise<import('./support/figures.mjs').Figure[]> }} */
  const { measure } = await import(`./scenarios/${name}.mjs`);
  for (const figure of await measure()) {
    printRow(figure);
    if (isMissed(figure)) process.exitCode = 1;
  }
}
