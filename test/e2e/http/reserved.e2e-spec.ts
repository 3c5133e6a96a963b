import type { ApiClient } from '../../support/api/api-client';
import { register } from '../../support/api/consumers';
import { answerTo, rawRequest } from '../../support/http/raw-http';
import { TestService } from '../../support/service/test-service';

const activity = (area: string, subPaths: string[]) =>
  ['', ...subPaths].flatMap((subPath) => [
    ['GET', `/api/v1/activities/${area}/summer-7${subPath}`] as const,
    ['POST', `/api/v1/activities/${area}/summer-7${subPath}`] as const,
  ]);

/** The method-and-path pairs of the specification, section 4.3. */
const RESERVED = [
  ['POST', '/api/v1/login/otp/request'] as const,
  ['POST', '/api/v1/login/otp/verify'] as const,
  ...activity('mileage', ['/catalog', '/cart', '/checkout', '/history']),
  ...activity('instant-win', ['/play', '/results']),
];

const answersOf = (outcome: unknown) => Object.fromEntries(RESERVED.map(([method, path]) => [method + path, outcome]));

describe('reserved routes', () => {
  let app: TestService;
  let client: ApiClient;

  beforeAll(async () => {
    app = await TestService.shared();
    client = await app.client({ rateLimit: '3/3600' });
  });

  async function askAll(send: (method: string, path: string) => Promise<unknown>): Promise<Record<string, unknown>> {
    const told: Record<string, unknown> = {};
    for (const [method, path] of RESERVED) told[method + path] = await send(method, path);
    return told;
  }

  it('are eighteen, and every one answers 501 in the shape of every other error', async () => {
    expect(RESERVED).toHaveLength(18);
    const told = await askAll(async (method, path) => {
      const { status, headers, body } = await client.send(method, path);
      expect(body).toMatchObject({ type: '/docs/errors/NOT_IMPLEMENTED', status: 501, code: 'NOT_IMPLEMENTED' });
      return [status, headers.get('content-type'), headers.get('cache-control')];
    });
    expect(told).toEqual(answersOf([501, 'application/problem+json', 'no-store']));
  });

  it('answer 501 with a customer token, good or bad, as without one', async () => {
    const { token } = await register(await app.client());
    for (const bearer of [token, 'a.b.c']) {
      const told = await askAll(async (method, path) => (await client.as(bearer).send(method, path)).status);
      expect(told).toEqual(answersOf(501));
    }
  });

  it('answer 501 whatever the body is, and without waiting for it', async () => {
    const headers = { Host: 'a', ...client.headers };
    const requests = (line: string) => [
      rawRequest(line, { ...headers, 'Content-Type': 'application/json', 'Content-Length': '3' }, '{"a'),
      rawRequest(
        line,
        { ...headers, 'Content-Type': 'text/xml', 'Content-Encoding': 'gzip', 'Content-Length': '1' },
        'x',
      ),
      rawRequest(line, { ...headers, 'Content-Length': '200000' }, 'x'.repeat(200_000)),
      rawRequest(line, { ...headers, 'Content-Length': '10000000' }),
      rawRequest(line, { ...headers, 'Transfer-Encoding': 'chunked' }, '3\r\nabc\r\n'),
      rawRequest(line, { ...headers, Expect: '100-continue', 'Content-Length': '5' }),
      rawRequest(line, { ...headers, Expect: 'something else' }),
    ];
    const told = await askAll(async (method, path) => {
      const answers = await Promise.all(requests(`${method} ${path}`).map((bytes) => answerTo(app.baseUrl, bytes)));
      return [...new Set(answers.map(({ status }) => status))];
    });
    expect(told).toEqual(answersOf([501]));
  });

  it('use no allowance, carry no limit headers, and answer 501 also when the limit is exhausted', async () => {
    const limited = await app.client({ rateLimit: '1/3600' });
    const ask = () =>
      askAll(async (method, path) => {
        const { status, headers } = await limited.send(method, path);
        return [status, headers.get('ratelimit'), headers.get('ratelimit-policy'), headers.get('retry-after')];
      });
    expect(await ask()).toEqual(answersOf([501, null, null, null]));
    expect((await limited.get('/api/v1/reference/countries')).status).toBe(200);
    expect((await limited.get('/api/v1/reference/countries')).status).toBe(429);
    expect(await ask()).toEqual(answersOf([501, null, null, null]));
  });

  it('answer HEAD as they answer GET, without a body', async () => {
    for (const [, path] of RESERVED.filter(([method]) => method === 'GET')) {
      const { status, body } = await client.send('HEAD', path);
      expect({ path, status, body }).toEqual({ path, status: 501, body: '' });
    }
  });

  it('are exactly these: their neighbours are unknown, and other methods are not allowed', async () => {
    const unlimited = await app.client();
    const neighbours = [
      'POST /api/v1/login/otp',
      'POST /api/v1/login/otp/request/',
      'POST /api/v1/login/otp/resend',
      'GET /api/v1/activities',
      'GET /api/v1/activities/mileage',
      'GET /api/v1/activities/mileage/',
      'GET /api/v1/activities/mileage/7/',
      'GET /api/v1/activities/mileage/7/play',
      'GET /api/v1/activities/mileage/7/cart/1',
      'GET /api/v1/activities/instant-win/7/cart',
      'GET /api/v1/activities/Instant-Win/7',
      'GET /api/v1/activities/lottery/7',
    ];
    for (const line of neighbours) {
      const [method = '', path = ''] = line.split(' ');
      expect({ line, status: (await unlimited.send(method, path)).status }).toEqual({ line, status: 404 });
    }
    for (const [method, path, allow] of [
      ['GET', '/api/v1/login/otp/request', 'POST'],
      ['PATCH', '/api/v1/activities/mileage/7/cart', 'GET, HEAD, POST'],
      ['DELETE', '/api/v1/activities/instant-win/7', 'GET, HEAD, POST'],
    ] as const) {
      const { status, headers, body } = await unlimited.send(method, path);
      expect([status, body.code, headers.get('allow')]).toEqual([405, 'METHOD_NOT_ALLOWED', allow]);
    }
  });

  it('take any identifier of an activity', async () => {
    for (const id of ['1', 'a.b', 'a%20b', 'a%2Fb', '%F0%9F%8E%81', "';--", 'x'.repeat(2_000)]) {
      expect((await client.get(`/api/v1/activities/mileage/${id}/cart`)).body).toMatchObject({
        code: 'NOT_IMPLEMENTED',
      });
    }
  });

  it('answer 401 without a touchpoint credential', async () => {
    const stranger = await askAll(async (method, path) => (await fetch(app.baseUrl + path, { method })).status);
    expect(stranger).toEqual(answersOf(401));
  });
});
