/**
 * Writes src/auth/common-passwords.txt from `src/passwords.json` of the npm package `@zxcvbn-ts/language-common`:
 *
 *   npm pack @zxcvbn-ts/language-common && tar -xzf zxcvbn-ts-language-common-*.tgz
 *   node scripts/make-common-passwords.mjs package/src/passwords.json
 */
import { readFileSync, writeFileSync } from 'node:fs';

/** PASSWORD_MIN_LENGTH cannot be less, so shorter entries would never be asked for. */
const MIN_LENGTH = 8;

const source = process.argv[2];
if (!source) throw new Error('usage: node scripts/make-common-passwords.mjs PATH/TO/passwords.json');

const passwords = /** @type {string[]} */ (JSON.parse(readFileSync(source, 'utf8')));
const compared = passwords.map((password) => password.normalize('NFKC').toLowerCase());
const entries = [...new Set(compared)].filter((password) => Array.from(password).length >= MIN_LENGTH).sort();

writeFileSync(new URL('../src/auth/common-passwords.txt', import.meta.url), `${entries.join('\n')}\n`);
console.log(`${entries.length} passwords`);
