import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isCommonPassword } from './common-passwords';

describe('isCommonPassword', () => {
  it.each(['password1', '12345678', 'qwertyuiop', 'QwertyUiop', 'ｐａｓｓｗｏｒｄ１'])('knows %s', (password) => {
    expect(isCommonPassword(password)).toBe(true);
  });

  it.each(['correct horse battery staple', 'Password123!', 'password1 ', ' password1', '', '\n'])(
    'does not know %j',
    (password) => {
      expect(isCommonPassword(password)).toBe(false);
    },
  );

  it('knows at least 10,000, each in the form in which passwords are compared', () => {
    const entries = readFileSync(join(__dirname, 'common-passwords.txt'), 'utf8').trimEnd().split('\n');
    expect(entries.length).toBeGreaterThanOrEqual(10_000);
    expect(entries).toEqual([...new Set(entries)].sort());
    expect(entries.filter((entry) => entry !== entry.normalize('NFKC').toLowerCase())).toEqual([]);
    expect(entries.filter((entry) => Array.from(entry).length < 8)).toEqual([]);
  });
});
