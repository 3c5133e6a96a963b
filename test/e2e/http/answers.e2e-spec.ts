import type { Answer, ApiClient } from '../../support/api/api-client';
import { newPerson, PASSWORD, register } from '../../support/api/consumers';
import { TestService } from '../../support/service/test-service';

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
  let app: TestService;
  let client: ApiClient;

  beforeAll(async () => {
    app = await TestService.shared();
    client = await app.client();
  });

  /** One request for each status that an error can have here, by what it should be told. */
  async function errors(): Promise<Record<string, Promise<Answer<Problem>>>> {
    const { email, token } = await register(client);
    const consumer = client.as(token);
    const otp = await app.client({ authenticationMode: 'OTP' });
    const limited = await app.client({ rateLimit: '1/3600' });
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
    const login = client.post('/api/v1/login', { identifier: newPerson().email, password: PASSWORD });
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
});
