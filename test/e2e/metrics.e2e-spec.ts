import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as httpRequest, type Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppConfig } from '../../src/platform/app-config';
import { MetricsServer } from '../../src/platform/metrics/metrics-server';
import { Lifecycle } from '../../src/platform/lifecycle';
import { Messages } from '../../src/platform/messages/messages.service';
import { newId } from '../../src/platform/random';
import { ChannelProof } from '../../src/touchpoints/touchpoint.entity';
import type { ApiClient } from '../support/api-client';
import { newPerson, PASSWORD, register } from '../support/consumers';
import { codeSentTo } from '../support/mailbox';
import { metricsAddress, type Sample, scrape, valueOf } from '../support/metrics';
import { TcpProxy } from '../support/tcp-proxy';
import { TestApp } from '../support/test-app';

const DURATION_COUNT = 'consumer_service_http_request_duration_seconds_count';
const LOGINS = 'consumer_service_logins_total';
const GATEWAY_THAT_IS_AWAY = {
  SMS_GATEWAY_URL: 'http://127.0.0.1:1',
  SMS_GATEWAY_SECRET: `whsec_${Buffer.alloc(24, 7).toString('base64')}`,
};

/** A login whose body the service waits for. */
async function beginLogin(app: TestApp): Promise<ClientRequest> {
  const { headers } = await app.client();
  const arrived = once(app.nest.getHttpServer() as Server, 'request');
  const login = httpRequest(`${app.baseUrl}/api/v1/login`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json', 'Content-Length': 2 },
    agent: false,
  });
  login.flushHeaders();
  await arrived;
  return login;
}

describe('the metrics', () => {
  let app: TestApp;
  let client: ApiClient;
  let proxy: TcpProxy;
  /** Another replica, whose database can be taken away. */
  let replica: TestApp;

  beforeAll(async () => {
    app = await TestApp.start({ env: { METRICS_PORT: '0', ...GATEWAY_THAT_IS_AWAY } });
    client = await app.client();
    const database = await TcpProxy.toDatabase(app.databaseUrl);
    proxy = database.proxy;
    replica = await TestApp.start({ replicaOf: app, env: { DATABASE_URL: database.url } });
  });
  afterAll(async () => {
    proxy.giveBack();
    await replica.close();
    proxy.stop();
    await app.close();
  });

  /** A request is counted when its answer has gone out, which its client may know first. */
  async function samplesOnce(ready: (samples: Sample[]) => boolean, of = app): Promise<Sample[]> {
    for (let tries = 0; tries < 600; tries += 1) {
      const { samples } = await scrape(of);
      if (ready(samples)) return samples;
      await sleep(25);
    }
    throw new Error('The metrics do not tell of what has happened');
  }

  const countOf = (samples: Sample[], name: string) =>
    samples.filter((sample) => sample.name === name).reduce((sum, { value }) => sum + value, 0);

  it('are off by default, and on a port of their own otherwise', async () => {
    const silent = await TestApp.start();
    expect(() => silent.nest.get(MetricsServer)).toThrow();
    expect((await (await silent.client()).get('/metrics')).status).toBe(404);
    await silent.close();

    expect((await client.get('/metrics')).status).toBe(404);
    const address = metricsAddress(app);
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

  it('do not share the port of the service', () => {
    const settings = (METRICS_PORT: string) => new AppConfig({ PORT: '3000', METRICS_PORT });
    expect(() => settings('3000')).toThrow('METRICS_PORT: must not be the same as PORT');
    expect(settings('9464').metricsPort).toBe(9464);
    expect(settings('').metricsPort).toBeUndefined();
  });

  it('tell logins by their outcome, refusals by their code, and hashes', async () => {
    const { email } = await register(client);
    const { samples: before } = await scrape(app);
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
      const { samples } = await scrape(app);
      const sum = countOf(samples, DURATION_COUNT);
      const sent = await Promise.all(requests(newId()));
      return samplesOnce((now) => countOf(now, DURATION_COUNT) >= sum + sent.length);
    };
    const series = (samples: Sample[]) =>
      samples
        .filter(({ name }) => name.startsWith('consumer_service_http_'))
        .map(({ name, labels }) => `${name} ${JSON.stringify(labels)}`);

    const before = await send();
    const sum = countOf(before, DURATION_COUNT);
    const marks = Array.from({ length: 100 }, newId);
    for (const mark of marks) await Promise.all(requests(mark));
    const after = await samplesOnce((samples) => countOf(samples, DURATION_COUNT) === sum + 1000);
    expect(series(after)).toEqual(series(before));
    const { text } = await scrape(app);
    for (const mark of marks) expect(text).not.toContain(mark);
    expect(text).toContain('route="unmatched"');
    expect(text).toContain('method="other"');
  });

  it('tell requests whose client went away from those that were answered', async () => {
    const login = await beginLogin(app);
    login.on('error', () => undefined).destroy();
    await samplesOnce((samples) => valueOf(samples, DURATION_COUNT, { status: 'aborted' }) === 1);
  });

  it('tell nothing of anybody', async () => {
    const proving = await app.client({ channelProof: ChannelProof.Email });
    const person = newPerson({ phone: '+4930987654', firstName: 'Grace', lastName: 'Hopper-Murray' });
    await proving.post('/api/v1/register', { ...person, password: undefined });
    const code = await codeSentTo(app, person.email);
    const { token, customerId } = await register(client, { phone: '+4930987655' });
    await client.as(token).patch('/api/v1/me', { email: person.email });
    await client.post('/api/v1/login', { identifier: person.email, password: PASSWORD });
    const { text } = await scrape(app);
    const personal = [person.email, 'example.com', '493098765', 'Grace', 'Hopper', customerId, token, code];
    const secret = [client.headers['X-Touchpoint-Code'] ?? '', client.headers['X-Touchpoint-Key'] ?? ''];
    for (const value of [...personal, ...secret]) expect(text).not.toContain(value);
  });

  it('tell how many messages wait in each channel, and for how long', async () => {
    const waiting = {
      name: 'consumer_service_message_queue_waiting',
      age: 'consumer_service_message_queue_oldest_seconds',
    };
    const sms = { channel: 'sms' };
    for (const to of ['+4930123451', '+4930123452', '+4930123453']) {
      await app.dataSource.transaction((manager) =>
        app.nest.get(Messages).enqueue(manager, { channel: 'sms', to, locale: null, kind: 'password-changed' }),
      );
    }
    await app.dataSource.query(
      `UPDATE pgboss.job SET created_on = now() - interval '1 hour' WHERE name = 'message-sms'`,
    );
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
    const leaving = await TestApp.start({ env: { METRICS_PORT: '0' } });
    const address = metricsAddress(leaving);
    const last = await beginLogin(leaving);
    const closed = leaving.close();
    while (!leaving.nest.get(Lifecycle).isDraining) await sleep(5);
    expect((await fetch(address)).status).toBe(200);
    const answered = once(last.end('{}'), 'response') as Promise<[IncomingMessage]>;
    expect((await answered)[0].resume().statusCode).toBe(400);
    await closed;
    await expect(fetch(address)).rejects.toThrow();
  });
});
