import type { ApiClient } from '../../support/api/api-client';
import { PASSWORD, register, type SessionBody } from '../../support/api/consumers';
import { TestService } from '../../support/service/test-service';
import { until } from '../../support/until';

const ME = '/api/v1/me';
const REQUEST = '/api/v1/verifications/email/request';

interface Session {
  current: boolean;
  lastUsedAt: string;
}

describe('the clock of a touchpoint in a sandbox', () => {
  let app: TestService;
  let client: ApiClient;

  beforeAll(async () => {
    app = await TestService.start({ env: { SANDBOX: 'true' } });
  });
  beforeEach(async () => {
    client = await app.client();
  });
  afterAll(() => app.close());

  const advance = (by: string) => client.post('/sandbox/clock', { advance: by });

  it('says when the limits on guesses end, there and nowhere else', async () => {
    const { email } = await register(client);
    const stranger = await app.client();
    const statusOf = async (from: ApiClient, password: string) =>
      (await from.post('/api/v1/login', { identifier: email, password })).status;
    await advance('30d');
    for (let guess = 0; guess < 10; guess += 1) expect(await statusOf(client, 'a wrong password')).toBe(401);
    expect(await statusOf(client, PASSWORD)).toBe(429);
    expect(await statusOf(stranger, PASSWORD)).toBe(200);
    await advance('16m');
    expect(await statusOf(client, PASSWORD)).toBe(200);
  });

  it('says when the next message may go to an address, there and nowhere else', async () => {
    const { email } = await register(client);
    const stranger = await app.client();
    await advance('30d');
    const identifier = { identifier: email, password: PASSWORD };
    const { body } = await client.post<SessionBody>('/api/v1/login', identifier);
    expect((await client.as(body.token).post(REQUEST)).status).toBe(202);
    expect((await client.as(body.token).post(REQUEST)).status).toBe(429);
    const there = await stranger.post<SessionBody>('/api/v1/login', identifier);
    expect((await stranger.as(there.body.token).post(REQUEST)).status).toBe(202);
  });

  it('dates the messages of the touchpoint, which stay for a day of the true time', async () => {
    await advance('30d');
    const { email, token } = await register(client, { email: 'dated@shop.test' });
    const { headers } = await client.as(token).post(REQUEST);
    const messages = async () => (await client.get<{ createdAt: string }[]>('/sandbox/messages')).body;
    await until(async () => (await messages()).length === 1);
    const [{ createdAt } = { createdAt: '' }] = await messages();
    const behindMs = Date.parse(createdAt) - Date.parse(headers.get('Date') ?? '');
    expect(Math.round(behindMs / 60_000)).toBe(0);
    await app.query(`UPDATE sandbox_message SET created_at = now() - interval '25 hours' WHERE recipient = $1`, [
      email,
    ]);
    expect(await messages()).toEqual([]);
  });

  it('decides whether a session was used in time', async () => {
    client = await app.client({ sessionMax: '8h', sessionIdle: '10m' });
    const { email, token } = await register(client);
    const registered = Date.now();
    await advance('8m');
    expect((await client.as(token).get(ME)).status).toBe(200);
    const login = { identifier: email, password: PASSWORD };
    const { body: other } = await client.post<SessionBody>('/api/v1/login', login);
    const lastUsed = async () => {
      const { body } = await client.as(other.token).get<Session[]>('/api/v1/me/sessions');
      return Date.parse(body.find(({ current }) => !current)?.lastUsedAt ?? '');
    };
    await until(async () => (await lastUsed()) >= registered + 8 * 60_000);
    await advance('8m');
    expect((await client.as(token).get(ME)).status).toBe(200);
  });
});
