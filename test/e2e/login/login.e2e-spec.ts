import type { ApiClient } from '../../support/api/api-client';
import { newPerson, newPhone, PASSWORD, register, type SessionBody, spacedPhone } from '../../support/api/consumers';
import { type ProblemBody, violationsOf } from '../../support/api/problems';
import { TestService } from '../../support/service/test-service';

describe('POST /api/v1/login', () => {
  let app: TestService;
  let client: ApiClient;

  beforeAll(async () => {
    app = await TestService.shared();
    client = await app.client();
  });

  const login = (identifier: unknown, password: unknown = PASSWORD, from = client) =>
    from.post<SessionBody & ProblemBody>('/api/v1/login', { identifier, password });

  const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status);

  it('takes every spelling of every identifier, at every touchpoint', async () => {
    const phone = newPhone();
    const { customerId, email } = await register(client, { phone });
    const elsewhere = await app.client();
    const identifiers = [email, email.toUpperCase(), phone, spacedPhone(phone)];
    for (const identifier of [...identifiers, customerId, customerId.toUpperCase()]) {
      const { status, body } = await login(identifier, PASSWORD, elsewhere);
      expect([status, Object.keys(body).sort(), body.customerId]).toEqual([200, ['customerId', 'token'], customerId]);
      expect((await client.as(body.token).get('/api/v1/me')).status).toBe(200);
    }
  });

  it('answers every failure alike, whoever it is for', async () => {
    const { email, customerId } = await register(client);
    const otp = await app.client({ authenticationMode: 'OTP' });
    const { customerId: passwordless } = await register(otp, { password: undefined });
    const identifiers = [
      ...[email, customerId, passwordless, newPerson().email, newPhone()],
      ...['01a1fc6f-0000-7000-8000-000000000000', '00000000-0000-0000-0000-000000000000', 'Ada'],
      ...['ada@', '+1', '\u202e', 'x'.repeat(10_000), "' OR 1=1 --", '%', `${email}, ${newPerson().email}`],
    ];
    const answers = [];
    for (const identifier of identifiers) answers.push(await login(identifier, 'a wrong guess'));
    expect(statuses(answers)).toEqual(identifiers.map(() => 401));
    expect(new Set(answers.map(({ body }) => JSON.stringify({ ...body, requestId: '' }))).size).toBe(1);
    expect(answers[0]?.body.code).toBe('INVALID_CREDENTIALS');
    expect(answers[0]?.headers.get('WWW-Authenticate')).toBe('Bearer realm="customer"');
  });

  it('wants an identifier and a password, both of them text', async () => {
    expect(violationsOf(await client.post('/api/v1/login', {}))).toEqual(['identifier REQUIRED', 'password REQUIRED']);
    expect(violationsOf(await login('', ''))).toEqual(['identifier TOO_SHORT', 'password TOO_SHORT']);
    for (const value of [5, true, ['ada@example.com'], { value: 'ada@example.com' }, { constructor: 'x' }]) {
      expect(violationsOf(await login(value, value))).toEqual(['identifier INVALID_TYPE', 'password INVALID_TYPE']);
    }
    expect((await login('nul\0', 'nul\0')).body.code).toBe('MALFORMED_JSON');
  });

  it('compares passwords whole, in any normal form and with their spaces', async () => {
    const long = '😀'.repeat(64);
    const spaced = '  correct horse  ';
    const composed = 'café ﬁnancière Ω';
    for (const [password, same, others] of [
      [long, [], [`${long.slice(0, -2)}😁`, long.slice(0, -2), `${long}!`]],
      [spaced, [], [spaced.trim(), ` ${spaced}`, spaced.trimEnd()]],
      [composed, [composed.normalize('NFD'), composed.normalize('NFKC')], [composed.toUpperCase()]],
    ] as const) {
      const { email } = await register(client, { password });
      for (const good of [password, ...same]) expect((await login(email, good)).status).toBe(200);
      for (const bad of others) expect((await login(email, bad)).status).toBe(401);
    }
  });

  it.each([
    ['', null],
    [' from one address', '198.51.100.9'],
  ])('lets a consumer log in thirty times at once%s', async (_, address) => {
    const at = address === null ? client : client.with({ 'X-Consumer-IP': address });
    const { email, customerId } = await register(client);
    for (const _ of [1, 2, 3, 4]) {
      expect(statuses(await Promise.all(Array.from({ length: 30 }, () => login(email, PASSWORD, at))))).toEqual(
        Array(30).fill(200),
      );
    }
    expect(await app.administer<object[]>('consumer', 'sessions', customerId)).toHaveLength(121);
  });

  it('answers 503 and counts no failure while too many passwords wait to be compared', async () => {
    const busy = await TestService.start({ replicaOf: app, env: { HASH_QUEUE_LIMIT: '1', BCRYPT_COST: '10' } });
    const others = await app.query<{ key: Buffer }>('SELECT key FROM login_attempt');
    const backend = await busy.client();
    const identifiers = [newPerson().email, newPerson().email];
    const attempts = Array.from({ length: 12 }, (_, index) => login(identifiers[index % 2], PASSWORD, backend));
    const answers = await Promise.all(attempts);
    const refused = answers.filter(({ status }) => status === 503);
    expect(refused.length).toBeGreaterThan(0);
    for (const { body, headers } of refused) {
      expect([body.code, Number(headers.get('Retry-After')) > 0]).toEqual(['SERVICE_UNAVAILABLE', true]);
    }
    const failures = answers.filter(({ status }) => status === 401).length;
    expect(failures + refused.length).toBe(answers.length);
    const [counted] = await app.query<{ sum: number }>(
      'SELECT coalesce(sum(failures), 0)::int AS sum FROM login_attempt WHERE key <> ALL($1)',
      [others.map(({ key }) => key)],
    );
    expect(counted?.sum).toBe(failures);
    await busy.close();
  });
});
