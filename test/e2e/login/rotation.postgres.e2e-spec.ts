import type { ApiClient } from '../../support/api/api-client';
import { expectStatus, newPerson, PASSWORD, register, type SessionBody } from '../../support/api/consumers';
import { Traffic } from '../../support/faults/traffic';
import { ReplicaSet } from '../../support/service/replica-set';
import { TestService } from '../../support/service/test-service';
import { until } from '../../support/until';

const KEY = 'X-Touchpoint-Key';
const CLIENTS = 2;

interface KeyUse {
  hint: string;
  lastUsedAt: string | null;
}

describe('under continuous traffic no request fails while', () => {
  it('the replicas move from one APP_SECRET to the next, and know what was made under both', async () => {
    const [oldSecret, newSecret] = ['o'.repeat(32), 'n'.repeat(32)];
    const app = await TestService.start({ env: { APP_SECRET: `${oldSecret},${newSecret}` } });
    const replicas = new ReplicaSet(app);
    await Promise.all([replicas.add({ APP_SECRET: oldSecret }), replicas.add({ APP_SECRET: oldSecret })]);
    const client = await app.client();
    const emails: string[] = [];
    const post = async (status: number, path: string, body: unknown, from: ApiClient = client) =>
      expectStatus(status, await replicas.request<SessionBody>(from, (sender) => sender.post(path, body)));
    const everyLogin = async () => {
      for (const identifier of emails) await post(200, '/api/v1/login', { identifier, password: PASSWORD });
    };

    const ada = await register(client);
    const home = client.with({ 'X-Consumer-IP': '203.0.113.9' });
    const atHome = { identifier: ada.email, password: PASSWORD };
    await post(200, '/api/v1/login', atHome, home);

    const traffic = new Traffic(CLIENTS, async () => {
      const person = newPerson();
      const { token } = await post(201, '/api/v1/register', person);
      emails.push(person.email);
      // Each request goes to the next replica.
      await post(200, '/api/v1/login', { identifier: person.email, password: PASSWORD });
      await post(200, '/api/v1/login', { identifier: emails[0], password: PASSWORD });
      expectStatus(200, await replicas.request(client, (sender) => sender.as(token).get('/api/v1/me')));
    });
    await traffic.flows(5);
    for (const accepted of [`${oldSecret},${newSecret}`, `${newSecret},${oldSecret}`]) {
      await replicas.restart({ APP_SECRET: accepted });
      await traffic.flows(5);
    }
    await traffic.stop();
    expect(traffic.failures).toEqual([]);
    expect(Math.min(...traffic.rounds)).toBeGreaterThanOrEqual(15);

    for (let guess = 0; guess < 10; guess += 1) {
      await post(401, '/api/v1/login', { identifier: ada.email, password: 'not the password' });
    }
    await post(429, '/api/v1/login', atHome);
    await post(200, '/api/v1/login', atHome, home);

    // Once every consumer has logged in, nothing needs the old secret.
    await everyLogin();
    await replicas.replace({ APP_SECRET: newSecret });
    await everyLogin();
  });

  it('a touchpoint moves from its old key to a new one, and the use of both is told', async () => {
    const app = await TestService.start({ clock: 'running', replicaOf: await TestService.shared() });
    const replica = await TestService.start({ clock: 'running', replicaOf: app });
    const old = await app.client();
    const { token } = await register(old);
    const code = old.headers['X-Touchpoint-Code'] ?? '';
    const keyOf = Array<string>(CLIENTS).fill(old.headers[KEY] ?? '');
    const traffic = new Traffic(CLIENTS, async (client) => {
      const sender = old.as(token).with({ [KEY]: keyOf[client] ?? '' });
      for (const { baseUrl } of [app, replica]) expectStatus(200, await sender.at(baseUrl).get('/api/v1/me'));
    });
    await traffic.flows(10);

    const { key } = await app.administer<{ key: string }>('touchpoint', 'rotate-key', code, '--overlap', '10m');
    for (const client of keyOf.keys()) {
      keyOf[client] = key;
      await traffic.flows(5);
    }
    const lastUses = async () => {
      const { keys } = await app.administer<{ keys: KeyUse[] }>('touchpoint', 'show', code);
      return keys.map(({ hint, lastUsedAt }) => [hint, lastUsedAt !== null]);
    };
    const bothUsed = [
      [key.slice(-4), true],
      [old.headers[KEY]?.slice(-4), true],
    ];
    await until(async () => JSON.stringify(await lastUses()) === JSON.stringify(bothUsed));
    const statusOfOld = async ({ baseUrl }: TestService) => (await old.as(token).at(baseUrl).get('/api/v1/me')).status;
    for (const at of [app, replica]) expect(await statusOfOld(at)).toBe(200);
    await app.clock.advance({ seconds: 601 });
    await replica.clock.advance({ seconds: 601 });
    for (const at of [app, replica]) await until(async () => (await statusOfOld(at)) === 401);
    await traffic.flows(10);
    await traffic.stop();

    expect(traffic.failures).toEqual([]);
    expect(Math.min(...traffic.rounds)).toBeGreaterThanOrEqual(30);
  });
});
