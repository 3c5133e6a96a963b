import { isPattern } from './password-pattern';

describe('isPattern', () => {
  it.each([
    ...['aaaaaaaa', '88888888', '        ', '😀'.repeat(8), 'a'.repeat(16)],
    ...['123123123', '12312312', 'abcabcab', 'passpass', 'x7!qx7!q'],
  ])('knows %j, which repeats one thing', (text) => {
    expect(isPattern(text)).toBe(true);
  });

  it.each([
    ...['abcdefgh', 'hgfedcba', '12345678', '87654321', '0987654321', '7890123456', '1234567890123456'],
    ...['qwertyuiop', 'poiuytrewq', 'asdfghjkl', 'zxcvbnm,./', 'qwertzuiopü', 'poiuztrewq', 'azertyuiop', 'qsdfghjklm'],
    ...['йцукенгш', '!@#$%^&*', 'qwertyuiopasdfgh', '1234qwer', 'abcd1111', 'qweasdzxc', 'abc123xyz'],
  ])('knows %s, which runs along a row', (text) => {
    expect(isPattern(text)).toBe(true);
  });

  it.each([
    ...['', 'a'.repeat(17), 'qwertyuiopasdfghj', '12345678901234567'],
    ...['aaaaaaab', 'abcdefgz', '1357924680', 'trustno1', 'ab12cd34', 'lmnotree'],
  ])('takes %j for more than a pattern', (text) => {
    expect(isPattern(text)).toBe(false);
  });
});
