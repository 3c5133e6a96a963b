import type { ApiClient } from '../../support/api/api-client';
import { newPerson, PASSWORD, register } from '../../support/api/consumers';
import { TcpProxy } from '../../support/faults/tcp-proxy';
import { loggedOf } from '../../support/service/log-lines';
import { TestService } from '../../support/service/test-service';
import { until } from '../../support/until';

const COUNTRIES = '/api/v1/reference/countries';

describe('answers to what the service cannot do', () => {
  let app: TestService;
  let client: ApiClient;

  beforeAll(async () => {
    app = await TestService.shared();
    client = await app.client();
  });

  it('say nothing of the cause of a failure, which the log has under the same request id', async () => {
    const { email, customerId } = await register(client);
    const login = () => client.post('/api/v1/login', { identifier: email, password: PASSWORD });
    await app.query(`ALTER TABLE session ADD CONSTRAINT broken CHECK (consumer_id <> '${customerId}') NOT VALID`);
    const { status, headers, body } = await login().finally(() =>
      app.query('ALTER TABLE session DROP CONSTRAINT broken'),
    );
    const requestId = headers.get('x-request-id') ?? '';
    expect([status, body]).toEqual([
      500,
      { type: '/docs/errors/INTERNAL', title: 'Something went wrong here.', status: 500, code: 'INTERNAL', requestId },
    ]);
    const lines = await loggedOf(app, requestId, 2);
    expect(lines.map(({ level }) => level)).toEqual(['error', 'info']);
    expect(JSON.stringify(lines[0]?.err)).toContain('session');
    expect(JSON.stringify(lines)).not.toContain(email);
    expect((await login()).status).toBe(200);
  });

  describe('while the database is away', () => {
    let proxy: TcpProxy;
    /** Another replica, whose database can be taken away. */
    let replica: TestService;

    beforeAll(async () => {
      const database = await TcpProxy.toDatabase(app.databaseUrl);
      proxy = database.proxy;
      replica = await TestService.start({ replicaOf: app, env: { DATABASE_URL: database.url } });
    });
    afterAll(async () => {
      proxy.giveBack();
      await replica.close();
      proxy.stop();
    });

    it('are 503, never an admission, and as before when it is back', async () => {
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
      // A replica may still believe what it read half a second ago, or was told of its database a second ago.
      for (const path of [COUNTRIES, '/health/ready']) await until(async () => (await known.get(path)).status === 503);
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
      await until(async () => (await known.get('/health/ready')).status === 200);
      expect((await known.as(token).get('/api/v1/me')).status).toBe(200);
      expect((await known.post('/api/v1/register', person)).status).toBe(201);
    });
  });
});
