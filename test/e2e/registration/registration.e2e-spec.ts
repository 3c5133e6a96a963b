import type { Answer, ApiClient } from '../../support/api/api-client';
import { newPerson, newPhone, PASSWORD, register, type SessionBody } from '../../support/api/consumers';
import { type ProblemBody, violationsOf } from '../../support/api/problems';
import { TestService } from '../../support/service/test-service';

const TABLES = ['consumer', 'identifier', 'credential', 'session'];

describe('POST /api/v1/register', () => {
  let app: TestService;
  let client: ApiClient;

  beforeAll(async () => {
    app = await TestService.shared();
    client = await app.client();
  });

  const attempt = (fields: unknown) => client.post<ProblemBody>('/api/v1/register', fields);

  const profileOf = async (fields: Record<string, unknown>) => {
    const { token } = await register(client, fields);
    return (await client.as(token).get('/api/v1/me')).body;
  };

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

  it('ignores unknown properties, so that nobody chooses an id or claims to be verified', async () => {
    const { customerId } = await register(client);
    const claims = { customerId, id: customerId, sub: customerId, emailVerified: true, verifiedAt: '2026-01-01' };
    const odd = { constructor: { constructor: 'x' }, hasOwnProperty: 1, toString: null, then: {}, length: 3 };
    const profile = await profileOf({ ...claims, ...odd, extra: odd });
    expect(profile.customerId).not.toBe(customerId);
    expect(profile.emailVerified).toBe(false);
  });

  it('registers without a password at a one-time-code touchpoint, where no login follows', async () => {
    const otp = await app.client({ authenticationMode: 'OTP' });
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
    const phone = newPhone();
    const spelled = `${phone.slice(0, 2)} (${phone.slice(2, 5)}) ${phone.slice(5, 8)}-${phone.slice(8)}`;
    const { email } = await register(client, { phone });
    const before = await rowCounts(app);
    const attempts = [
      { email: email.toUpperCase() },
      { email: undefined, phone: spelled },
      { email, phone: spelled.replaceAll(' ', '-') },
      { phone: spelled.replace(/[()-]/g, ' ') },
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
    expect(await rowCounts(app)).toEqual(before);
  });

  it.each([
    ['e-mail address', { email: newPerson().email }],
    ['phone number', { email: undefined, phone: newPhone() }],
  ])('lets exactly one of 50 registrations at once have the same %s', async (_, fields) => {
    const before = await rowCounts(app);
    const answers = await Promise.all(Array.from({ length: 50 }, () => attempt(newPerson(fields))));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.code === 'IDENTIFIER_TAKEN')).toHaveLength(49);
    expect(await rowCounts(app)).toEqual(before.map((count) => count + 1));
  });
});

const rowCounts = (app: TestService): Promise<number[]> =>
  Promise.all(
    TABLES.map(async (table) => {
      const [row] = await app.query<{ rows: number }>(`SELECT count(*)::int AS rows FROM ${table}`);
      return row?.rows ?? 0;
    }),
  );
