import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isPattern } from '../password-pattern';

/** Lines sorted by their bytes, which are kept as bytes: as strings in a Set they would take fifteen times the memory. */
const read = (name: string): Buffer => readFileSync(join(__dirname, name));
const PASSWORDS = read('common-passwords.txt');
const WORDS = read('common-words.txt');

const LINE_END = 10;

/** A few signs and up to six digits, such as a year, a date or 123456, on one side of a word or on both. */
const DECORATED_WORD =
  /^[^\p{L}\p{N}]{0,2}\d{0,6}[^\p{L}\p{N}]{0,2}(\p{L}.*\p{L})[^\p{L}\p{N}]{0,2}\d{0,6}[^\p{L}\p{N}]{0,2}$/u;
/** `PASSWORD_MIN_LENGTH` cannot be less, so shorter passwords are refused anyway. */
const MIN_LENGTH = 8;
const SIGNS_AROUND = /^[^\p{L}\p{N}]{1,2}|[^\p{L}\p{N}]{1,2}$/gu;

/**
 * Whether a guesser tries this password among the first (NIST SP 800-63B-4 section 3.1.1.2), ignoring case: one that
 * many people use, a mere pattern, or one of the commonest words with a few digits and signs around it.
 */
export function isCommonPassword(password: string): boolean {
  const text = password.normalize('NFKC').toLowerCase();
  if (Array.from(text).length < MIN_LENGTH) return false;
  const [, word = ''] = DECORATED_WORD.exec(text) ?? [];
  return isListedOrPattern(text) || isListedOrPattern(text.replace(SIGNS_AROUND, '')) || hasLine(WORDS, word);
}

const isListedOrPattern = (text: string): boolean => hasLine(PASSWORDS, text) || isPattern(text);

/** Binary search for a line. */
function hasLine(lines: Buffer, line: string): boolean {
  const wanted = Buffer.from(line);
  let [low, high] = [0, lines.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const start = middle === 0 ? 0 : lines.lastIndexOf(LINE_END, middle - 1) + 1;
    const end = lines.indexOf(LINE_END, start);
    const order = lines.compare(wanted, 0, wanted.length, start, end);
    if (order === 0) return true;
    if (order < 0) low = end + 1;
    else high = start;
  }
  return false;
}
