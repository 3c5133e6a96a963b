import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AuthenticationMode } from '../../src/touchpoints/touchpoint.entity';
import type { Answer, ApiClient } from '../support/api-client';
import { newPerson, PASSWORD, register } from '../support/consumers';
import { LogFile } from '../support/log-file';
import { TcpProxy } from '../support/tcp-proxy';
import { TestApp } from '../support/test-app';

const COUNTRIES = '/api/v1/reference/countries';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

interface Problem {
  type: string;
  title: string;
  status: number;
  code: string;
  requestId: string;
}

describe('answers', () => {
  let directory: string;
  let log: LogFile;
  let app: TestApp;
  let client: ApiClient;
  let proxy: TcpProxy;
  /** Another replica, whose database can be taken away. */
  let replica: TestApp;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'consumer-service-log-'));
    log = new LogFile(directory, 'app.log');
    app = await TestApp.start({ logger: log.logger });
    client = await app.client();

    const database = await TcpProxy.toDatabase(app.databaseUrl);
    proxy = database.proxy;
    replica = await TestApp.start({
      replicaOf: app,
      env: { DATABASE_URL: database.url },
      logger: new LogFile(directory, 'replica.log').logger,
    });
  });
  afterAll(async () => {
    proxy.giveBack();
    await replica.close();
    proxy.stop();
    await app.close();
    await rm(directory, { recursive: true, force: true });
  });

  /** One request for each status that an error can have here, by what it should be told. */
  async function errors(): Promise<Record<string, Promise<Answer<Problem>>>> {
    const { email, token } = await register(client);
    const consumer = client.as(token);
    const otp = await app.client({ authenticationMode: AuthenticationMode.OneTimeCode });
    const limited = await app.client({ rateLimit: { limit: 1, seconds: 3600 } });
    await limited.get(COUNTRIES);
    const stranger = client.with({ 'X-Touchpoint-Key': 'none' });
    return {
      '400 MALFORMED_JSON': client.post('/api/v1/login', '{"a'),
      '400 VALIDATION_FAILED': client.post('/api/v1/register', {}),
      '401 TOUCHPOINT_UNAUTHORIZED': stranger.get('/api/v1/me'),
      '401 UNAUTHENTICATED': client.get('/api/v1/me'),
      '401 INVALID_CREDENTIALS': client.post('/api/v1/login', { identifier: email, password: 'not the password' }),
      '403 LOGIN_METHOD_NOT_ALLOWED': otp.post('/api/v1/login', {}),
      '404 NOT_FOUND': client.get('/api/v1/nothing'),
      '404 COUNTRY_NOT_FOUND': client.get('/api/v1/reference/countries/XX/subdivisions'),
      '405 METHOD_NOT_ALLOWED': client.send('DELETE', '/api/v1/me'),
      '409 IDENTIFIER_TAKEN': client.post('/api/v1/register', newPerson({ email })),
      '412 PRECONDITION_FAILED': consumer.patch('/api/v1/me', {}, { 'If-Match': '"old"' }),
      '413 PAYLOAD_TOO_LARGE': client.post('/api/v1/login', 'x'.repeat(17_000)),
      '415 UNSUPPORTED_MEDIA_TYPE': client.send('POST', '/api/v1/login', 'x', { 'Content-Type': 'text/plain' }),
      '429 RATE_LIMITED': limited.get(COUNTRIES),
      '501 NOT_IMPLEMENTED': client.post('/api/v1/login/otp/request'),
    };
  }

  it('have one shape for every error', async () => {
    for (const [outcome, pending] of Object.entries(await errors())) {
      const { status, headers, body } = await pending;
      const { type, title, requestId, code } = body;
      expect(`${status} ${code}`).toBe(outcome);
      expect(body.status).toBe(status);
      expect(headers.get('content-type')).toBe('application/problem+json');
      expect(type).toBe(`/docs/errors/${code}`);
      expect(title).not.toBe('');
      expect(requestId).toBe(headers.get('x-request-id'));
      const members = ['type', 'title', 'status', 'code', 'detail', 'requestId', 'errors'];
      expect(Object.keys(body).filter((member) => !members.includes(member))).toEqual([]);
    }
  });

  it('may not be stored, but for reference data, and say nothing of what made them', async () => {
    const { token } = await register(client);
    const all = await Promise.all([
      ...Object.values(await errors()),
      client.as(token).get('/api/v1/me'),
      client.post('/api/v1/register', newPerson()),
      client.as(token).post('/api/v1/logout'),
    ]);
    const reference = await client.get(COUNTRIES);
    for (const { headers } of [...all, reference]) {
      expect(headers.get('x-request-id')).toMatch(UUID);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-powered-by')).toBeNull();
      expect(headers.get('server')).toBeNull();
      expect(headers.get('etag') ?? '""').toMatch(/^"/);
    }
    for (const { headers } of all) expect(headers.get('cache-control')).toBe('no-store');
    expect(reference.headers.get('cache-control')).toBe('public, max-age=86400');
  });

  it("bear the caller's request id when it is a good one, else a new one", async () => {
    const idFor = async (id: string) =>
      (await client.get(COUNTRIES, { 'X-Request-Id': id })).headers.get('x-request-id');
    for (const good of ['a', 'A-1_b.c', '0192f0c1-7a3e-7b2a-9c55-0f2d6f0f6a11', 'x'.repeat(128)]) {
      expect(await idFor(good)).toBe(good);
    }
    const replaced = new Set<string | null>();
    for (const bad of ['', 'x'.repeat(129), 'a b', 'a/b', '{"a":1}', 'a,b', '\u00e9']) {
      const id = await idFor(bad);
      expect(id).toMatch(UUID);
      replaced.add(id);
    }
    expect(replaced.size).toBe(7);
    const problem = await client.get('/api/v1/nothing', { 'X-Request-Id': 'mine' });
    expect(problem.body.requestId).toBe('mine');
  });

  it('say with every 401 which credential is missing, and of a token only when one was sent', async () => {
    const { token } = await register(client);
    const challenge = async (answer: Promise<Answer>) => {
      const { status, headers } = await answer;
      return [status, headers.get('www-authenticate')];
    };
    const stranger = client.with({ 'X-Touchpoint-Key': 'none' });
    const login = client.post('/api/v1/login', { identifier: 'nobody@example.com', password: PASSWORD });
    expect(await challenge(stranger.as(token).get('/api/v1/me'))).toEqual([401, 'Touchpoint realm="api"']);
    expect(await challenge(client.get('/api/v1/me'))).toEqual([401, 'Bearer realm="customer"']);
    expect(await challenge(login)).toEqual([401, 'Bearer realm="customer"']);
    for (const bad of ['a.b.c', 'x', `${token}x`]) {
      const refused = [401, 'Bearer realm="customer", error="invalid_token"'];
      expect(await challenge(client.as(bad).get('/api/v1/me'))).toEqual(refused);
      expect(await challenge(client.as(bad).post('/api/v1/logout'))).toEqual(refused);
    }
    expect((await client.as(token).get('/api/v1/me')).headers.get('www-authenticate')).toBeNull();
  });

  it('to HEAD are those to GET without the body', async () => {
    const { token } = await register(client);
    const consumer = client.as(token);
    const headersOf = ({ headers }: Answer<unknown>) => {
      const ofThisOne = ['date', 'x-request-id', 'connection', 'keep-alive'];
      return Object.fromEntries([...headers].filter(([name]) => !ofThisOne.includes(name)));
    };
    for (const path of ['/api/v1/me', COUNTRIES, `${COUNTRIES}/DE/subdivisions`, '/api/v1/nothing', '/health/live']) {
      const [get, head] = [await consumer.get(path), await consumer.send('HEAD', path)];
      expect({ path, status: head.status, body: head.body }).toEqual({ path, status: get.status, body: '' });
      const { 'content-length': length, ...headers } = headersOf(get);
      const { 'content-length': told = length, ...headHeaders } = headersOf(head);
      expect({ path, ...headHeaders }).toEqual({ path, ...headers });
      // A problem holds the request id, which is as long as any other.
      expect(told).toBe(length);
    }
  });

  it('are told in the log, each in one line of JSON, without anything secret or personal', async () => {
    const person = newPerson({ phone: '+4930123456', firstName: 'Grace', lastName: 'Hopper-Murray' });
    const secretQuery = 'token=in-the-address';
    const { body: session } = await client.post<{ token: string; customerId: string }>('/api/v1/register', person);
    const consumer = client.as(session.token);
    const requests: [status: number, send: (id: string) => Promise<Answer<unknown>>][] = [
      [200, (id) => consumer.get(`/api/v1/me?${secretQuery}`, { 'X-Request-Id': id })],
      [409, (id) => client.with({ 'X-Request-Id': id }).post('/api/v1/register', person)],
      [
        200,
        (id) =>
          client.with({ 'X-Request-Id': id }).post('/api/v1/login', { identifier: person.email, password: PASSWORD }),
      ],
      [
        401,
        (id) =>
          client
            .with({ 'X-Request-Id': id })
            .post('/api/v1/login', { identifier: person.email, password: 'wrong-password' }),
      ],
      [400, (id) => client.with({ 'X-Request-Id': id }).post('/api/v1/login', `{"password":"${PASSWORD}`)],
      [200, (id) => consumer.patch('/api/v1/me', { email: 'grace.new@example.com' }, { 'X-Request-Id': id })],
      [401, (id) => client.with({ 'X-Touchpoint-Key': 'tpk_wrong', 'X-Request-Id': id }).get(`/x/${person.email}`)],
      [404, (id) => client.get(`/api/v1/${person.email}`, { 'X-Request-Id': id })],
      [204, (id) => consumer.with({ 'X-Request-Id': id }).post('/api/v1/logout')],
    ];
    for (const [index, [status, send]] of requests.entries()) {
      const id = `log-${index}`;
      expect([id, (await send(id)).status]).toEqual([id, status]);
      const lines = await logged(id);
      expect(lines).toHaveLength(1);
      expect(lines[0]).toMatchObject({
        level: 'info',
        requestId: id,
        status,
        durationMs: expect.any(Number) as number,
      });
    }
    expect(log.about('log-0')[0]).toMatchObject({
      method: 'GET',
      route: '/api/v1/me',
      touchpoint: client.headers['X-Touchpoint-Code'],
    });
    expect(log.about('log-3')[0]).toMatchObject({ code: 'INVALID_CREDENTIALS' });

    const key = client.headers['X-Touchpoint-Key'] ?? '';
    const [header = '', payload = '', signature = ''] = session.token.split('.');
    const secrets = [key, key.slice(4, 30), 'tpk_', header, payload, signature, PASSWORD, 'wrong-password'];
    const personal = [
      person.email,
      person.email.toUpperCase(),
      '4930123456',
      'Grace',
      'Hopper',
      'grace.new',
      secretQuery,
    ];
    for (const text of [...secrets, ...personal]) expect(log.text).not.toContain(text);
  });

  it('to a failure say nothing of its cause, which the log has under the same request id', async () => {
    const { email } = await register(client);
    await app.dataSource.query('ALTER TABLE session RENAME TO session_away');
    const { status, headers, body } = await client.post('/api/v1/login', { identifier: email, password: PASSWORD });
    await app.dataSource.query('ALTER TABLE session_away RENAME TO session');
    const requestId = headers.get('x-request-id') ?? '';
    expect([status, body]).toEqual([
      500,
      { type: '/docs/errors/INTERNAL', title: 'Something went wrong here.', status: 500, code: 'INTERNAL', requestId },
    ]);
    const lines = await logged(requestId, 2);
    expect(lines.map(({ level }) => level)).toEqual(['error', 'info']);
    expect(JSON.stringify(lines[0]?.err)).toContain('session');
    expect(JSON.stringify(lines)).not.toContain(email);
    expect((await client.post('/api/v1/login', { identifier: email, password: PASSWORD })).status).toBe(200);
  });

  it('are 503 while the database is away, never an admission, and as before when it is back', async () => {
    const { token } = await register(client);
    const known = client.at(replica.baseUrl);
    const unseen = (await app.client()).at(replica.baseUrl);
    const stranger = unseen.with({ 'X-Touchpoint-Key': 'none' });
    expect((await known.as(token).get('/api/v1/me')).status).toBe(200);

    proxy.takeAway();
    const refused = await unseen.get(COUNTRIES);
    expect(refused).toMatchObject({ status: 503, body: { code: 'SERVICE_UNAVAILABLE' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('content-type')).toBe('application/problem+json');
    expect((await stranger.get(COUNTRIES)).status).toBe(401);
    // A replica may still believe what it read half a second ago; then it must not.
    while ((await known.get(COUNTRIES)).status !== 503);
    const person = newPerson();
    for (const answer of [
      await known.get('/api/v1/nothing'),
      await known.as(token).get('/api/v1/me'),
      await known.post('/api/v1/register', person),
      await known.post('/api/v1/login/otp/request'),
      await known.get('/health/ready'),
    ]) {
      expect(answer).toMatchObject({ status: 503, body: { code: 'SERVICE_UNAVAILABLE' } });
    }
    expect((await known.get('/health/live')).status).toBe(200);
    expect((await client.get(COUNTRIES)).status).toBe(200);

    proxy.giveBack();
    while ((await known.get('/health/ready')).status !== 200);
    expect((await known.as(token).get('/api/v1/me')).status).toBe(200);
    expect((await known.post('/api/v1/register', person)).status).toBe(201);
  });

  /** A line is written when the answer has gone out, which its reader may know first. */
  async function logged(requestId: string, count = 1): Promise<Record<string, unknown>[]> {
    while (log.about(requestId).length < count) await new Promise(setImmediate);
    return log.about(requestId);
  }
});
