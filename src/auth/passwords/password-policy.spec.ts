import { normalizePassword, PasswordPolicy } from './password-policy';

const policy = new PasswordPolicy(8);
const ada = { email: 'countess.ada@example.com', phone: '+12025550123', firstName: 'Augusta', lastName: 'Byron-King' };
const codes = (password: string, own = {}) => policy.violations('password', password, own).map(({ code }) => code);

describe('PasswordPolicy', () => {
  it.each(['correct horse battery staple', 'onlysmallletters', '        space', '😀👍🎉🚀🌍🔥✨💡', '9'.repeat(256)])(
    'accepts %j without asking for kinds of characters',
    (password) => {
      expect(codes(password, ada)).toEqual([]);
    },
  );

  it('says what the limits are', () => {
    expect(policy.violations('newPassword', 'é'.repeat(7), {})).toEqual([
      { field: 'newPassword', code: 'TOO_SHORT', message: 'must have at least 8 characters', params: { min: 8 } },
    ]);
    expect(new PasswordPolicy(15).violations('password', 'fourteen chars', {})).toMatchObject([
      { params: { min: 15 } },
    ]);
    expect(policy.violations('password', '9'.repeat(257), {})).toEqual([
      { field: 'password', code: 'TOO_LONG', message: 'must have at most 256 characters', params: { max: 256 } },
    ]);
  });

  it('counts code points after NFKC, not UTF-16 units', () => {
    expect(codes('😀'.repeat(7))).toEqual(['TOO_SHORT']);
    expect(codes('😀'.repeat(256))).toEqual([]);
    expect(codes('e\u0301'.repeat(7))).toEqual(['TOO_SHORT']);
    expect(codes('\uFB03\uFB03\uFB04')).toEqual([]);
    expect(codes('\uFB03'.repeat(86))).toEqual(['TOO_LONG']);
  });

  it.each(['password1', '12345678', 'qwertyuiop', 'PASSWORD1', 'ｐａｓｓｗｏｒｄ１', 'Password@123', '        '])(
    'refuses %s as too common',
    (password) => {
      expect(codes(password)).toEqual(['TOO_COMMON']);
    },
  );

  it.each([
    'Countess.Ada@Example.com',
    'countess.ADA',
    '+12025550123',
    '12025550123',
    'BYRON-KING',
    'augusta byron-king',
    'AugustaByron-King',
    'Ｂｙｒｏｎ-King',
  ])("refuses %s, the consumer's own", (password) => {
    expect(policy.violations('password', password, ada)).toEqual([
      {
        field: 'password',
        code: 'INVALID_VALUE',
        message: 'must not be your own name, e-mail address or phone number',
      },
    ]);
  });

  it('lets a password contain what it must not be', () => {
    expect(codes('Byron-King, 1815', ada)).toEqual([]);
    expect(codes('Augusta null', { firstName: 'Augusta', lastName: null })).toEqual([]);
  });

  it('reports everything that is wrong at once', () => {
    expect(codes('Augusta', ada)).toEqual(['TOO_SHORT', 'INVALID_VALUE']);
    expect(codes('michael1', { firstName: 'Michael1' })).toEqual(['TOO_COMMON', 'INVALID_VALUE']);
    expect(codes('', { firstName: '' })).toEqual(['TOO_SHORT']);
  });
});

describe('normalizePassword', () => {
  it('makes one of what two keyboards write differently, and keeps white space', () => {
    expect(normalizePassword(' cafe\u0301 ')).toBe(normalizePassword(' caf\u00E9 '));
    expect(normalizePassword(' a ')).toBe(' a ');
  });
});
