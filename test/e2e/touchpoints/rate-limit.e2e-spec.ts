import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, ApiClient } from '../../support/api/api-client';
import { register } from '../../support/api/consumers';
import { TestService } from '../../support/service/test-service';
import { until } from '../../support/until';

const COUNTRIES = '/api/v1/reference/countries';

/** Long enough for no window to end while a test runs. */
const AN_HOUR = 3600;

const limitHeaders = ({ headers }: Answer<unknown>) => [headers.get('ratelimit-policy'), headers.get('ratelimit')];

/** What is left of the only limit, from `"name";r=REMAINING;t=SECONDS`. */
const remaining = ({ headers }: Answer<unknown>) => /^"\w+";r=(\d+);t=\d+$/.exec(headers.get('ratelimit') ?? '')?.[1];

async function statuses(client: ApiClient, count: number): Promise<number[]> {
  const answers: number[] = [];
  for (let sent = 0; sent < count; sent += 1) answers.push((await client.get(COUNTRIES)).status);
  return answers;
}

const answerWith = (client: ApiClient, status: number) =>
  until(async () => {
    const answer = await client.get(COUNTRIES);
    return answer.status === status && answer;
  });

/** So many requests within one second: on a busy machine the first ones may take longer. */
const burstOf = (count: number, client: ApiClient) =>
  until(async () => {
    const startedAt = performance.now();
    const answers = await Promise.all(Array.from({ length: count }, () => client.get(COUNTRIES)));
    if (performance.now() - startedAt < 1_000) return answers;
    // Until the last second that counts one of them is over.
    await sleep(1_000);
    return null;
  });

describe('rate limits', () => {
  let app: TestService;

  beforeAll(async () => {
    // A burst that no test exhausts within one of its seconds, and a sustained limit that one can.
    const env = { RATE_LIMIT_BURST: '1000', RATE_LIMIT_SUSTAINED: '40' };
    app = await TestService.start({ replicaOf: await TestService.shared(), env });
  });
  afterAll(() => app.close());

  const limitedTo = (limit: number, seconds = AN_HOUR) => app.client({ rateLimit: `${limit}/${seconds}` });

  it('are told on every answer after the credential, whatever it is', async () => {
    const client = await limitedTo(100);
    const { token } = await register(client);
    const answers = [
      await client.get(COUNTRIES),
      await client.get('/api/v1/nothing'),
      await client.send('DELETE', '/api/v1/me'),
      await client.get('/api/v1/me'),
      await client.as('a.b.c').get('/api/v1/me'),
      await client.as(token).get('/api/v1/me'),
      await client.post('/api/v1/login', '{"a'),
      await client.post('/api/v1/login', 'x'.repeat(20_000)),
      await client.send('HEAD', COUNTRIES),
      await client.get(COUNTRIES, { 'If-None-Match': '*' }),
      await client.as(token).post('/api/v1/logout'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 405, 401, 401, 200, 400, 413, 200, 304, 204]);
    expect(answers.map(({ headers }) => headers.get('ratelimit-policy'))).toEqual(
      answers.map(() => '"touchpoint";q=100;w=3600'),
    );
    expect(answers.map(remaining)).toEqual(answers.map((_, index) => `${98 - index}`));
    expect(answers.map(({ headers }) => headers.get('retry-after'))).toEqual(answers.map(() => null));
  });

  it('are told on a refusal of the mode too, and never before the credential', async () => {
    const client = await app.client({
      authenticationMode: 'OTP',
      rateLimit: `5/${AN_HOUR}`,
    });
    const refused = await client.post('/api/v1/login', {});
    expect(refused.status).toBe(403);
    expect(remaining(refused)).toBe('4');
    const stranger = await client.with({ 'X-Touchpoint-Key': 'none' }).get(COUNTRIES);
    expect(stranger.status).toBe(401);
    expect(limitHeaders(stranger)).toEqual([null, null]);
  });

  it('let in exactly as many requests as they say, and then tell when to come back', async () => {
    const client = await limitedTo(7);
    expect(await statuses(client, 9)).toEqual([200, 200, 200, 200, 200, 200, 200, 429, 429]);
    const { status, headers, body } = await client.get(COUNTRIES);
    expect(status).toBe(429);
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toMatchObject({ code: 'RATE_LIMITED', status: 429 });
    const [, seconds] = /^"touchpoint";r=0;t=(\d+)$/.exec(headers.get('ratelimit') ?? '') ?? [];
    expect(headers.get('retry-after')).toBe(seconds);
    expect(Number(seconds)).toBeGreaterThan(AN_HOUR - 60);
    expect(Number(seconds)).toBeLessThanOrEqual(AN_HOUR);
  });

  it('let in exactly as many of many requests at once', async () => {
    const client = await limitedTo(10);
    const answers = await Promise.all(Array.from({ length: 30 }, () => client.get(COUNTRIES)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(20);
  });

  it('start anew when their window ends', async () => {
    const client = await limitedTo(1, 1);
    const refused = await answerWith(client, 429);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(remaining(await answerWith(client, 200))).toBe('0');
  });

  it("are the service's two unless the touchpoint has its own", async () => {
    const [policy, limit] = limitHeaders(await (await app.client({ rateLimit: 'default' })).get(COUNTRIES));
    expect(policy).toBe('"burst";q=1000;w=1, "sustained";q=40;w=60');
    expect(limit).toMatch(/^"burst";r=999;t=1, "sustained";r=39;t=(59|60)$/);

    const unlimited = await app.client();
    expect(await statuses(unlimited, 45)).not.toContain(429);
    expect(limitHeaders(await unlimited.get(COUNTRIES))).toEqual([null, null]);

    const generous = await limitedTo(60);
    expect(await statuses(generous, 45)).not.toContain(429);
  });

  it('refuse a burst, and serve again when its second is over', async () => {
    const env = { RATE_LIMIT_BURST: '5', RATE_LIMIT_SUSTAINED: '1000' };
    const small = await TestService.start({ replicaOf: app, env });
    try {
      const client = await small.client({ rateLimit: 'default' });
      const burst = await burstOf(8, client);
      expect(burst.filter(({ status }) => status === 200)).toHaveLength(5);
      const refused = burst.find(({ status }) => status === 429);
      expect(refused?.headers.get('retry-after')).toBe('1');
      expect((await answerWith(client, 200)).headers.get('ratelimit')).toContain('"burst";r=4;');
    } finally {
      await small.close();
    }
  });

  it("leave one touchpoint's allowance alone while another floods", async () => {
    const [flooding, quiet] = await Promise.all([
      app.client({ rateLimit: 'default' }),
      app.client({ rateLimit: 'default' }),
    ]);
    const flood = await Promise.all(Array.from({ length: 80 }, () => flooding.get(COUNTRIES)));
    expect(flood.filter(({ status }) => status === 200)).toHaveLength(40);
    const answer = await quiet.get(COUNTRIES);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('ratelimit')).toContain('"sustained";r=39;');
  });

  it('count nothing for whoever has only the code of a touchpoint', async () => {
    const client = await limitedTo(2);
    const stranger = client.with({ 'X-Touchpoint-Key': 'none' });
    expect(await statuses(stranger, 5)).toEqual([401, 401, 401, 401, 401]);
    expect(await statuses(client, 2)).toEqual([200, 200]);
  });

  it('are counted together by replicas that share a Redis, and by each alone otherwise', async () => {
    const replica = await TestService.start({ replicaOf: app });
    try {
      const client = await limitedTo(6);
      const there = client.at(replica.baseUrl);
      const here = await statuses(client, 4);
      const allowedThere = app.env.REDIS_URL === undefined ? 6 : 2;
      expect(here).toEqual([200, 200, 200, 200]);
      expect((await statuses(there, 7)).filter((status) => status === 200)).toHaveLength(allowedThere);
    } finally {
      await replica.close();
    }
  });

  it('are counted in memory while Redis is away, which readiness tells', async () => {
    // Nothing listens on the discard port.
    const replica = await TestService.start({ replicaOf: app, env: { REDIS_URL: 'redis://127.0.0.1:9' } });
    try {
      const client = (await limitedTo(3)).at(replica.baseUrl);
      expect(await statuses(client, 5)).toEqual([200, 200, 200, 429, 429]);
      const ready = await client.get('/health/ready');
      expect([ready.status, ready.body]).toEqual([200, { status: 'degraded' }]);
    } finally {
      await replica.close();
    }
    const ready = await fetch(`${app.baseUrl}/health/ready`);
    expect(await ready.json()).toEqual({ status: 'ok' });
  });
});
