import { randomBytes, randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isCommonPassword } from './common-passwords';

const ROUNDS = 2_000;
const PRINTABLE = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index));

const linesOf = (name: string): string[] => readFileSync(join(__dirname, name), 'utf8').trimEnd().split('\n');
const commonPasswords = linesOf('common-passwords.txt');
const commonWords = linesOf('common-words.txt');

const some = (count: number, pool: string[]): string[] =>
  Array.from({ length: count }, () => pool[randomInt(pool.length)] ?? '');
const refused = (generate: () => string): string[] => Array.from({ length: ROUNDS }, generate).filter(isCommonPassword);

describe('isCommonPassword', () => {
  it.each([
    ...['password1', '12345678', 'qwertyuiop', 'QwertyUiop', 'ｐａｓｓｗｏｒｄ１', '87654321', '88888888', 'aaaaaaaa'],
    ...[
      '123123123',
      'abcdefgh',
      'Password@123',
      'Password123!',
      '123password',
      'Summer2024!',
      'Welcome1!',
      '!dragon!99',
    ],
    ...['12345678!', '#abcdefgh#', 'P@ssw0rd!', 'password1 ', ' password1'],
  ])('knows %s', (password) => {
    expect(isCommonPassword(password)).toBe(true);
  });

  it.each([
    ...['correct horse battery staple', 'dragon over the sea', 'dragon-sunshine', 'Tr0ub4dor&3', 'Dr4g0n-Tal3s'],
    ...['password for the bank', 'summer7391662', 'dragon#8$2%x', 'dragon!!!1', '', '\n', 'password\npassword1'],
  ])('does not know %j', (password) => {
    expect(isCommonPassword(password)).toBe(false);
  });

  it('refuses each of the most used passwords of a list from elsewhere', () => {
    const mostUsed = linesOf('../../../../test/fixtures/most-used-passwords/john-the-ripper.txt');
    expect(mostUsed).toHaveLength(450);
    expect(mostUsed.filter((password) => !isCommonPassword(password))).toEqual([]);
  });

  it('finds every one of its own, whatever the case', () => {
    expect(commonPasswords.filter((password) => !isCommonPassword(password))).toEqual([]);
    const decorated = commonWords.map((word) => `${word.toUpperCase()}@123`);
    expect(decorated.filter((password) => !isCommonPassword(password))).toEqual([]);
  });

  it('takes what a machine generates', () => {
    expect(refused(() => some(12, PRINTABLE).join(''))).toEqual([]);
    expect(refused(() => randomBytes(9).toString('base64url'))).toEqual([]);
    expect(refused(() => randomBytes(16).toString('hex'))).toEqual([]);
  });

  it('takes passphrases, even of the commonest words', () => {
    const words = commonWords.filter((word) => /^[a-z]{5,}$/.test(word));
    expect(refused(() => some(3, words).join(' '))).toEqual([]);
    expect(refused(() => some(4, words).join(''))).toEqual([]);
  });

  it('knows at least 50,000, each in the form in which passwords are compared and in the order in which it looks', () => {
    expect(commonPasswords.length).toBeGreaterThanOrEqual(50_000);
    for (const entries of [commonPasswords, commonWords]) {
      const sorted = [...new Set(entries)].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
      expect(entries).toEqual(sorted);
      expect(entries.filter((entry) => entry !== entry.normalize('NFKC').toLowerCase())).toEqual([]);
    }
    expect(commonPasswords.filter((entry) => Array.from(entry).length < 8)).toEqual([]);
  });
});
