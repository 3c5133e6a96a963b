import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../../support/api/api-client';
import { newPerson, newPhone, PASSWORD, register } from '../../support/api/consumers';
import { begin, recoveryCode, reset } from '../../support/api/recovery';
import { codeSentTo, wrongCode } from '../../support/messages/mailbox';
import { type Sample, scrape, valueOf } from '../../support/service/metrics';
import { TcpProxy } from '../../support/faults/tcp-proxy';
import { TestService } from '../../support/service/test-service';
import { until } from '../../support/until';

const DURATION_COUNT = 'consumer_service_http_request_duration_seconds_count';
const LOGINS = 'consumer_service_logins_total';
const GATEWAY_THAT_IS_AWAY = {
  SMS_GATEWAY_URL: 'http://127.0.0.1:1',
  SMS_GATEWAY_SECRET: `whsec_${Buffer.alloc(24, 7).toString('base64')}`,
};

/** A login whose body the service waits for. */
async function beginLogin(app: TestService): Promise<ClientRequest> {
  const { headers } = await app.client();
  const login = httpRequest(`${app.baseUrl}/api/v1/login`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json', 'Content-Length': 2, Expect: '100-continue' },
    agent: false,
  });
  // Whoever waits for its answer hears of an error too.
  login.on('error', () => undefined);
  login.flushHeaders();
  await once(login, 'continue');
  return login;
}

describe('the metrics', () => {
  let app: TestService;
  let client: ApiClient;
  let proxy: TcpProxy;
  /** Another replica, whose database can be taken away. */
  let replica: TestService;

  beforeAll(async () => {
    app = await TestService.start({ metrics: true, env: GATEWAY_THAT_IS_AWAY });
    client = await app.client();
    const database = await TcpProxy.toDatabase(app.databaseUrl);
    proxy = database.proxy;
    replica = await TestService.start({ replicaOf: app, metrics: true, env: { DATABASE_URL: database.url } });
  });
  afterAll(async () => {
    proxy.giveBack();
    await replica.close();
    proxy.stop();
  });

  /** A request is counted when its answer has gone out, which its client may know first. */
  async function samplesOnce(ready: (samples: Sample[]) => boolean, of = app): Promise<Sample[]> {
    for (let tries = 0; tries < 600; tries += 1) {
      const { samples } = await scrape(of.metricsAddress);
      if (ready(samples)) return samples;
      await sleep(25);
    }
    throw new Error('The metrics do not tell of what has happened');
  }

  const countOf = (samples: Sample[], name: string) =>
    samples.filter((sample) => sample.name === name).reduce((sum, { value }) => sum + value, 0);

  it('are off by default, and on a port of their own otherwise', async () => {
    const silent = await TestService.start({ replicaOf: app });
    expect(silent.log).not.toContain('The metrics can be read');
    expect((await (await silent.client()).get('/metrics')).status).toBe(404);

    expect((await client.get('/metrics')).status).toBe(404);
    const address = app.metricsAddress;
    const answered = await fetch(address);
    expect([answered.status, answered.headers.get('content-type')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ]);
    const statusOf = async (url: string, method = 'GET') => (await fetch(url, { method })).status;
    expect(await statusOf(address, 'HEAD')).toBe(200);
    expect(await statusOf(address, 'POST')).toBe(405);
    for (const path of ['/', '/metrics/', '/api/v1/me', '/health/live']) {
      expect(await statusOf(new URL(path, address).href)).toBe(404);
    }
  });

  it('tell logins by their outcome, refusals by their code, and hashes', async () => {
    const { email } = await register(client);
    const { samples: before } = await scrape(app.metricsAddress);
    const login = (identifier: string, password: string) => client.post('/api/v1/login', { identifier, password });
    await login(email, PASSWORD);
    for (let failures = 0; failures < 11; failures += 1) await login('nobody@example.com', PASSWORD);
    await client.post('/api/v1/login', {});

    const labels = { route: '/api/v1/login', method: 'POST' };
    const requests = (samples: Sample[]) =>
      samples.filter(({ name, labels: { route } }) => name === DURATION_COUNT && route === labels.route);
    const total = (samples: Sample[]) => requests(samples).reduce((sum, { value }) => sum + value, 0);
    const after = await samplesOnce((samples) => total(samples) === 13);
    const grown = (name: string, by: Record<string, string> = {}) =>
      (valueOf(after, name, by) ?? 0) - (valueOf(before, name, by) ?? 0);
    expect(
      ['success', 'invalid_credentials', 'throttled', 'validation_failed'].map((outcome) => grown(LOGINS, { outcome })),
    ).toEqual([1, 10, 1, 1]);
    expect(grown('consumer_service_http_refusals_total', { code: 'INVALID_CREDENTIALS' })).toBe(10);
    expect(grown('consumer_service_http_refusals_total', { code: 'LOGIN_THROTTLED' })).toBe(1);
    expect(requests(after).map((sample) => [sample.labels.status, sample.value])).toEqual(
      expect.arrayContaining([
        ['200', 1],
        ['401', 10],
        ['429', 1],
        ['400', 1],
      ]),
    );
    expect(grown('consumer_service_hash_duration_seconds_count', { operation: 'compare' })).toBe(11);
    expect(valueOf(after, 'consumer_service_hash_running')).toBe(0);
    expect(valueOf(after, 'consumer_service_hash_queue_limit')).toBe(1000);
  });

  it('tell recoveries begun and finished and wrong codes, by the touchpoint', async () => {
    const touchpoint = client.headers['X-Touchpoint-Code'] ?? '';
    const { email } = await register(client);
    const recoveryId = await begin(client, email);
    await begin(client, newPerson().email);
    const code = await recoveryCode(app, email);
    await reset(client, recoveryId, wrongCode(code));
    await reset(client, recoveryId, code);
    const { samples } = await scrape(app.metricsAddress);
    const counted = ['recoveries_begun', 'recoveries_finished', 'recovery_wrong_codes'].map((name) =>
      valueOf(samples, `consumer_service_${name}_total`, { touchpoint }),
    );
    expect(counted).toEqual([2, 1, 1]);
  });

  it('have as many series after a thousand different paths, methods and callers as before', async () => {
    const requests = (mark: string) => [
      client.get(`/api/v1/${mark}`),
      client.get(`/${mark}`),
      client.get(`/docs/${mark}`),
      client.get(`/docs/errors/${mark}`),
      client.get(`/api/v1/reference/countries/${mark}/subdivisions`),
      client.post(`/api/v1/activities/mileage/${mark}/cart`),
      client.post(`/api/v1/verifications/${mark}/request`),
      client.send('PROPFIND', `/api/v1/${mark}`),
      client.send('REPORT', `/api/v1/${mark}`),
      client.with({ 'X-Touchpoint-Code': mark }).get('/api/v1/me'),
    ];
    const send = async () => {
      const { samples } = await scrape(app.metricsAddress);
      const sum = countOf(samples, DURATION_COUNT);
      const sent = await Promise.all(requests(randomUUID()));
      return samplesOnce((now) => countOf(now, DURATION_COUNT) >= sum + sent.length);
    };
    const series = (samples: Sample[]) =>
      samples
        .filter(({ name }) => name.startsWith('consumer_service_http_'))
        .map(({ name, labels }) => `${name} ${JSON.stringify(labels)}`);

    const before = await send();
    const sum = countOf(before, DURATION_COUNT);
    const marks = Array.from({ length: 100 }, () => randomUUID());
    for (const mark of marks) await Promise.all(requests(mark));
    const after = await samplesOnce((samples) => countOf(samples, DURATION_COUNT) === sum + 1000);
    expect(series(after)).toEqual(series(before));
    const { text } = await scrape(app.metricsAddress);
    for (const mark of marks) expect(text).not.toContain(mark);
    expect(text).toContain('route="unmatched"');
    expect(text).toContain('method="other"');
  });

  it('tell requests whose client went away from those that were answered', async () => {
    const login = await beginLogin(app);
    login.destroy();
    await samplesOnce((samples) => valueOf(samples, DURATION_COUNT, { status: 'aborted' }) === 1);
  });

  it('tell nothing of anybody', async () => {
    const proving = await app.client({ channelProof: 'EMAIL' });
    const person = newPerson({ phone: '+4930987654', firstName: 'Grace', lastName: 'Hopper-Murray' });
    await proving.post('/api/v1/register', { ...person, password: undefined });
    const code = await codeSentTo(app, person.email);
    const { token, customerId } = await register(client, { phone: '+4930987655' });
    await client.as(token).patch('/api/v1/me', { email: person.email });
    await client.post('/api/v1/login', { identifier: person.email, password: PASSWORD });
    const { text } = await scrape(app.metricsAddress);
    // Digits of a measured value may happen to be those of a code.
    const described = text.replace(/ [^ ]+$/gm, '');
    const personal = [person.email, 'example.com', '493098765', 'Grace', 'Hopper', customerId, token, code];
    for (const value of [...personal, client.headers['X-Touchpoint-Key'] ?? '']) expect(described).not.toContain(value);
  });

  it('tell how many messages wait in each channel, and for how long', async () => {
    const waiting = {
      name: 'consumer_service_message_queue_waiting',
      age: 'consumer_service_message_queue_oldest_seconds',
    };
    const sms = { channel: 'sms' };
    const proving = await app.client({ channelProof: 'SMS' });
    for (const phone of [newPhone(), newPhone(), newPhone()])
      await proving.post('/api/v1/register', newPerson({ phone, password: undefined }));
    await app.query(`UPDATE message SET created_at = now() - interval '1 hour' WHERE channel = 'sms'`);
    const samples = await samplesOnce((now) => valueOf(now, waiting.name, sms) === 3);
    expect(valueOf(samples, waiting.age, sms)).toBeGreaterThanOrEqual(3600);
    expect(valueOf(samples, waiting.name, { channel: 'email' })).toBe(0);
    expect(valueOf(samples, waiting.age, { channel: 'email' })).toBe(0);
  });

  it('can be read while the database is away, without what only it knows', async () => {
    const databaseIs = async (up: number) => {
      const samples = await samplesOnce((now) => valueOf(now, 'consumer_service_database_up') === up, replica);
      return samples.some(({ name }) => name.startsWith('consumer_service_message_queue_'));
    };
    expect(await databaseIs(1)).toBe(true);
    proxy.takeAway();
    expect(await databaseIs(0)).toBe(false);
    proxy.giveBack();
    expect(await databaseIs(1)).toBe(true);
  });

  it('can be read until the last request has ended', async () => {
    const leaving = await TestService.start({ replicaOf: app, metrics: true });
    const address = leaving.metricsAddress;
    const last = await beginLogin(leaving);
    leaving.signal('SIGTERM');
    // It says so, and takes no new connections a moment later.
    const isReady = () =>
      fetch(`${leaving.baseUrl}/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
    await until(async () => !(await isReady()));
    expect((await fetch(address)).status).toBe(200);
    const answered = once(last.end('{}'), 'response') as Promise<[IncomingMessage]>;
    expect((await answered)[0].resume().statusCode).toBe(400);
    await leaving.close();
    await expect(fetch(address)).rejects.toThrow();
  });
});
