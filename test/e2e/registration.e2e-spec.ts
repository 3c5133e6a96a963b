import type { DataSource } from 'typeorm';
import { AuthenticationMode } from '../../src/touchpoints/touchpoint.entity';
import type { Answer, ApiClient } from '../support/api-client';
import { newPerson, PASSWORD, register, type SessionBody } from '../support/consumers';
import { type ProblemBody, violationsOf } from '../support/problems';
import { TestApp } from '../support/test-app';

const TABLES = ['consumer', 'identifier', 'credential', 'session'];

describe('POST /api/v1/register', () => {
  let app: TestApp;
  let client: ApiClient;

  beforeAll(async () => {
    app = await TestApp.start();
    client = await app.client();
  });
  afterAll(() => app.close());

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

  it('registers a consumer of the four fields of the specification, and answers with exactly two', async () => {
    const person = { type: 'PERSON', firstName: 'Ada', lastName: 'Lovelace', password: PASSWORD };
    const { status, body } = await client.post<SessionBody>('/api/v1/register', person);
    expect(status).toBe(201);
    expect(body).toEqual({ customerId: expect.any(String) as string, token: expect.any(String) as string });
    expect((await client.as(body.token).get('/api/v1/me')).body.customerId).toBe(body.customerId);
  });

  it('does not take consumers without identifiers for one another', async () => {
    const bare = newPerson({ email: undefined });
    const [one, other] = [await attempt(bare), await attempt(bare)];
    expect([one.status, other.status]).toEqual([201, 201]);
  });

  it('names everything that is required and missing', async () => {
    for (const nothing of [{}, { type: null, firstName: null, lastName: null, password: null }, undefined]) {
      expect(violationsOf(await attempt(nothing))).toEqual([
        'firstName REQUIRED',
        'lastName REQUIRED',
        'password REQUIRED',
        'type REQUIRED',
      ]);
    }
  });

  it('reports all violations at once, with their limits', async () => {
    const answer = await attempt({
      type: 'COMPANY',
      firstName: ' ',
      lastName: 'L'.repeat(101),
      password: 'seven77',
      email: 'ada',
      phone: '12025550123',
      birthDate: '2999-01-01',
      locale: 'en_GB',
      address: { line1: 5, country: 'XX', subdivision: 'GB-ENG' },
      attributes: { nested: {} },
    });
    expect(answer.status).toBe(400);
    expect(answer.body.code).toBe('VALIDATION_FAILED');
    expect(violationsOf(answer)).toEqual([
      'address.country INVALID_VALUE',
      'address.line1 INVALID_TYPE',
      'address.subdivision INVALID_VALUE',
      'attributes INVALID_VALUE',
      'birthDate INVALID_VALUE',
      'email INVALID_FORMAT',
      'firstName TOO_SHORT',
      'lastName TOO_LONG',
      'locale INVALID_FORMAT',
      'password TOO_SHORT',
      'phone INVALID_FORMAT',
      'type INVALID_VALUE',
    ]);
    const limits = Object.fromEntries(answer.body.errors?.map(({ field, params }) => [field, params]) ?? []);
    expect(limits).toMatchObject({ firstName: { min: 1 }, lastName: { max: 100 }, password: { min: 8 } });
  });

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

  it('ignores unknown properties, so that nobody chooses an id or claims to be verified', async () => {
    const { customerId } = await register(client);
    const claims = { customerId, id: customerId, sub: customerId, emailVerified: true, verifiedAt: '2026-01-01' };
    const odd = { constructor: { constructor: 'x' }, hasOwnProperty: 1, toString: null, then: {}, length: 3 };
    const profile = await profileOf({ ...claims, ...odd, extra: odd });
    expect(profile.customerId).not.toBe(customerId);
    expect(profile.emailVerified).toBe(false);
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

  it('registers without a password at a one-time-code touchpoint, where no login follows', async () => {
    const otp = await app.client({ authenticationMode: AuthenticationMode.OneTimeCode });
    const withPassword: Answer<ProblemBody> = await otp.post('/api/v1/register', newPerson());
    expect(withPassword.status).toBe(400);
    expect(violationsOf(withPassword)).toEqual(['password FORBIDDEN']);

    const { token, email } = await register(otp, { password: undefined });
    expect((await otp.as(token).get('/api/v1/me')).body.hasPassword).toBe(false);
    const login = await otp.post('/api/v1/login', 'not even JSON');
    expect([login.status, login.body.code]).toEqual([403, 'LOGIN_METHOD_NOT_ALLOWED']);
    const elsewhere = await client.post('/api/v1/login', { identifier: email, password: PASSWORD });
    expect(elsewhere.status).toBe(401);
  });

  it('refuses identifiers in use, names them, and leaves nothing behind', async () => {
    const { email } = await register(client, { phone: '+12025550110' });
    const before = await rowCounts(app.dataSource);
    const attempts = [
      { email: email.toUpperCase() },
      { email: undefined, phone: '+1 (202) 555-0110' },
      { email, phone: '+1-202-555-0110' },
      { phone: '+1 202 555 0110' },
    ];
    const answers = await Promise.all(attempts.map((fields) => attempt(newPerson(fields))));
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
      attempts.map(() => [409, 'IDENTIFIER_TAKEN']),
    );
    expect(answers.map(violationsOf)).toEqual([
      ['email IN_USE'],
      ['phone IN_USE'],
      ['email IN_USE', 'phone IN_USE'],
      ['phone IN_USE'],
    ]);
    expect(await rowCounts(app.dataSource)).toEqual(before);
  });

  it.each([{ email: 'crowd@example.com' }, { email: undefined, phone: '+12025550111' }])(
    'lets exactly one of 50 registrations at once have the same identifier: %j',
    async (fields) => {
      const before = await rowCounts(app.dataSource);
      const answers = await Promise.all(Array.from({ length: 50 }, () => attempt(newPerson(fields))));
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
      expect(answers.filter(({ body }) => body.code === 'IDENTIFIER_TAKEN')).toHaveLength(49);
      expect(await rowCounts(app.dataSource)).toEqual(before.map((count) => count + 1));
    },
  );
});

const rowCounts = (dataSource: DataSource): Promise<number[]> =>
  Promise.all(
    TABLES.map(async (table) => {
      const [row] = await dataSource.query<{ rows: number }[]>(`SELECT count(*)::int AS rows FROM ${table}`);
      return row?.rows ?? 0;
    }),
  );
