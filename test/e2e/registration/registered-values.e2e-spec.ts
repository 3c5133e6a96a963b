import { TestService } from '../../support/service/test-service';
import type { ApiClient } from '../../support/api/api-client';
import { newPerson, register } from '../../support/api/consumers';
import { type ProblemBody, violationsOf } from '../../support/api/problems';

describe('the values that POST /api/v1/register takes', () => {
  let client: ApiClient;

  beforeAll(async () => {
    client = await (await TestService.shared()).client();
  });

  const attempt = (fields: unknown) => client.post<ProblemBody>('/api/v1/register', fields);

  const profileOf = async (fields: Record<string, unknown>) => {
    const { token } = await register(client, fields);
    return (await client.as(token).get('/api/v1/me')).body;
  };

  /** The values of a field by what became of them: accepted, or refused for what. */
  async function verdicts(field: string, values: unknown[]): Promise<Record<string, unknown[]>> {
    const found: Record<string, unknown[]> = {};
    for (const value of values) {
      const answer = await attempt(newPerson({ email: undefined, [field]: value }));
      const verdict = answer.status === 201 ? 'accepted' : violationsOf(answer).join() || answer.body.code;
      (found[verdict] ??= []).push(value);
    }
    return found;
  }

  it('coerces nothing', async () => {
    for (const field of ['type', 'firstName', 'lastName', 'password', 'email', 'phone', 'birthDate', 'locale']) {
      const values: unknown[] = [12345678, true, ['ada@example.com'], { constructor: 'x' }, {}];
      expect(await verdicts(field, values)).toEqual({ [`${field} INVALID_TYPE`]: values });
    }
    for (const field of ['address', 'attributes']) {
      const values: unknown[] = ['GB', 5, false, [], [{}]];
      expect(await verdicts(field, values)).toEqual({ [`${field} INVALID_TYPE`]: values });
    }
  });

  it('keeps names of any script without the white space around them', async () => {
    expect(await profileOf({ firstName: '  Zoë \n', lastName: 'O’Connor-Ñandú 李' })).toMatchObject({
      firstName: 'Zoë',
      lastName: 'O’Connor-Ñandú 李',
    });
    const longest = '😀'.repeat(100);
    const lines = ['A\nB', 'A\u0007B', 'A\u0085B', 'A\u2028B', 'A\u007fB'];
    expect(await verdicts('firstName', [longest, ...lines, `${longest}!`, '\u00a0\t', 'A\0B'])).toEqual({
      accepted: [longest],
      'firstName INVALID_FORMAT': lines,
      'firstName TOO_LONG': [`${longest}!`],
      'firstName TOO_SHORT': ['\u00a0\t'],
      MALFORMED_JSON: ['A\0B'],
    });
  });

  it('takes e-mail addresses that mail can reach, and no look-alike of another', async () => {
    const good = [
      `${'l'.repeat(64)}@example.com`,
      "o'hara+tag/x=1@sub.example.co.uk",
      `a@${['d'.repeat(61), 'd'.repeat(61), 'd'.repeat(61), 'd'.repeat(61)].join('.')}.aero`,
      'jörg@example.com'.replace('ö', 'oe'),
      'anna@münchen.example',
    ];
    const bad = [
      ...[
        '',
        'ada',
        '@example.com',
        'ada@',
        'ada@localhost',
        'ada@@example.com',
        'a@b@example.com',
        ' ada@example.com',
      ],
      ...['.ada@example.com', 'ada.@example.com', 'a..b@example.com', '"ada"@example.com', 'ada@[127.0.0.1]'],
      ...['ada@127.0.0.1', 'ada(x)@example.com', 'Ada <ada@example.com>', 'ada@example.com,eve@example.com'],
      ...['ada@example.com\r\nBcc: eve@example.com', 'ada\u200b@example.com', 'ada@exam\u00adple.com'],
      ...[
        'ada\uff20example.com',
        'ad\u0131@example.com',
        'ada@goog\u0131e.com',
        '\u212aate@example.com',
        'ada@\u212a.com',
      ],
      ...['jörg@example.com', 'ada@ex_ample.com', 'ada@-example.com', 'ada@xn--.com', 'ada@ехample.com'],
      ...[`${'l'.repeat(65)}@example.com`, `a@${'d.'.repeat(130)}com`, '\u202eada@example.com'],
    ];
    expect(await verdicts('email', [...good, ...bad])).toEqual({ accepted: good, 'email INVALID_FORMAT': bad });
    expect(await profileOf({ email: 'Ada.LOVELACE@Bücher.Example' })).toMatchObject({
      email: 'ada.lovelace@xn--bcher-kva.example',
      emailVerified: false,
    });
  });

  it('takes phone numbers in E.164 form however they are spaced, and keeps one spelling', async () => {
    const good = ['+12025550101', '+1 (202) 555-0102', '+44 20 7946 0958', '+491712345678'];
    const bad = [
      ...['', '2025550101', '0012025550101', '+', '+1', '+1202555', '+1234567890123456', '++12025550103'],
      ...['+12025550103 ext 3', '+12025550103;ext=3', 'tel:+12025550103', '+1202CALLNOW', '+1202555０103'],
      ...['+\u0661\u0662025550103', '+12025550103\n', '+1.202.555.0103', '+44 (0)20 7946 0959', '+99912345678'],
    ];
    expect(await verdicts('phone', [...good, ...bad])).toEqual({ accepted: good, 'phone INVALID_FORMAT': bad });
    expect(await profileOf({ phone: '+1 (202) 555-0104' })).toMatchObject({ phone: '+12025550104' });
  });

  it('takes any long enough password but common ones and the consumer’s own data', async () => {
    const good = [
      '😀👍🎉🚀🌍🔥✨💡',
      'onlysmallletters',
      'ﬃﬃﬄ',
      ' leading and trailing ',
      'x'.repeat(256),
      'Zq\tunprintable',
    ];
    const common = [
      ...['password1', 'PassWord1', '12345678', 'ｐａｓｓｗｏｒｄ１', '87654321', '88888888', 'aaaaaaaa', '123123123'],
      ...['abcdefgh', 'Password@123', '😀'.repeat(8)],
    ];
    const short = ['', 'seven77', '😀'.repeat(7), '𝒶'.repeat(7), 'e\u0301'.repeat(7)];
    const long = ['x'.repeat(257), 'ﬃ'.repeat(86)];
    const own = ['Ada Lovelace', 'ADALOVELACE', 'ａｄａ ｌｏｖｅｌａｃｅ'];
    const found = await verdicts('password', [...good, ...common, ...short, ...long, ...own, 'nul\0nul\0nul']);
    expect(found).toEqual({
      accepted: good,
      'password TOO_COMMON': common,
      'password TOO_SHORT': short,
      'password TOO_LONG': long,
      'password INVALID_VALUE': own,
      MALFORMED_JSON: ['nul\0nul\0nul'],
    });
    const contact = { email: 'Augusta.King@Example.com', phone: '+1 202 555 0105' };
    for (const password of ['augusta.king@example.com', 'AUGUSTA.KING', '+12025550105', '12025550105']) {
      const answer = await attempt(newPerson({ ...contact, password }));
      expect(violationsOf(answer)).toEqual(['password INVALID_VALUE']);
    }
  });

  it('takes dates of birth that have been, and language tags', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const dates = ['1815-12-10', '2024-02-29', '0001-01-01', today];
    const noDates = ['2023-02-29', '1815-13-01', '1815-12-1', '10.12.1815', '0000-01-01', '1815-12-10T00:00:00Z', ''];
    expect(await verdicts('birthDate', [...dates, ...noDates, '9999-12-31'])).toEqual({
      accepted: dates,
      'birthDate INVALID_FORMAT': noDates,
      'birthDate INVALID_VALUE': ['9999-12-31'],
    });
    expect(await verdicts('locale', ['en', 'zh-Hant-TW', 'en_GB', 'x', '', `en-${'abcdefgh-'.repeat(9)}a`])).toEqual({
      accepted: ['en', 'zh-Hant-TW'],
      'locale INVALID_FORMAT': ['en_GB', 'x', '', `en-${'abcdefgh-'.repeat(9)}a`],
    });
    expect(await profileOf({ birthDate: '0001-01-01', locale: 'EN-gb' })).toMatchObject({
      birthDate: '0001-01-01',
      locale: 'en-GB',
    });
  });

  it('checks an address against the reference data', async () => {
    const good = [
      {},
      { line1: '12 St James’s Square', line2: null, postalCode: 'SW1Y 4JH', city: 'London', country: 'GB' },
      { country: 'GB', subdivision: 'GB-ENG', customerId: 'ignored' },
    ];
    const subdivisions = [
      { country: 'DE', subdivision: 'GB-ENG' },
      { subdivision: 'GB-ENG' },
      { country: 'GB', subdivision: 'GB-XXX' },
      { country: 'GB', subdivision: 'toString' },
    ];
    const countries = ['XX', 'XK', 'gb', 'GBR', 'England', '', '__proto__', 'constructor'].map((country) => ({
      country,
    }));
    expect(await verdicts('address', [...good, ...subdivisions, ...countries])).toEqual({
      accepted: good,
      'address.subdivision INVALID_VALUE': subdivisions,
      'address.country INVALID_VALUE': countries,
    });
    const lines = { line1: 'A\nB', line2: 'x'.repeat(201), postalCode: 'x'.repeat(21), city: ' ' };
    expect(violationsOf(await attempt(newPerson({ address: lines })))).toEqual([
      'address.city TOO_SHORT',
      'address.line1 INVALID_FORMAT',
      'address.line2 TOO_LONG',
      'address.postalCode TOO_LONG',
    ]);
    const { address } = await profileOf({ address: { city: ' London ', country: 'GB' } });
    expect(address).toEqual({
      ...{ line1: null, line2: null, postalCode: null, city: 'London', country: 'GB', subdivision: null },
    });
  });

  it('keeps up to 50 attributes of any name and 4 KiB as they were sent', async () => {
    const entries = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`key${n}`, n]));
    const bytes = (size: number) => ({ text: 'x'.repeat(size - '{"text":""}'.length) });
    const odd = '{"__proto__":"a","constructor":"b","toString":1.5,"hasOwnProperty":false,"":"","ключ":"😀"}';
    expect(await verdicts('attributes', [entries(50), entries(51), bytes(4096), bytes(4097), { a: [] }])).toEqual({
      accepted: [entries(50), bytes(4096)],
      'attributes TOO_LONG': [entries(51), bytes(4097)],
      'attributes INVALID_VALUE': [{ a: [] }],
    });
    const nested = ['{"__proto__":{"a":1}}', '{"constructor":{"prototype":{}}}', '{"a":{"constructor":1}}'];
    for (const attributes of nested) {
      const answer = await attempt(newPerson({ attributes: JSON.parse(attributes) as object }));
      expect(violationsOf(answer)).toEqual(['attributes INVALID_VALUE']);
    }
    const profile = await profileOf({ attributes: JSON.parse(odd) as object });
    expect(Object.entries(profile.attributes as object).sort()).toEqual(
      Object.entries(JSON.parse(odd) as object).sort(),
    );
  });
});
