import { setTimeout as sleep } from 'node:timers/promises';
import { JwtKeyRotation } from '../../src/auth/jwt-key-rotation';
import { JwtKeysFile } from '../../src/auth/jwt-keys-file';
import { AppConfig } from '../../src/platform/app-config';
import type { Answer, ApiClient } from '../support/api-client';
import { buildCli, runCli } from '../support/cli';
import { newPerson, PASSWORD, register, type SessionBody } from '../support/consumers';
import { MovableClock } from '../support/movable-clock';
import { ReplicaSet } from '../support/replica-set';
import { TestApp } from '../support/test-app';
import { Traffic } from '../support/traffic';

const KEY = 'X-Touchpoint-Key';
const CLIENTS = 4;

interface KeyUse {
  hint: string;
  lastUsedAt: string | null;
}

interface ListedKey {
  kid: string;
  state: string;
}

const kidOf = (token: string) =>
  (JSON.parse(Buffer.from(token.split('.', 1)[0] ?? '', 'base64url').toString()) as ListedKey).kid;

/** The body of an answer that must have this status. */
function expectStatus<T>(status: number, answer: Answer<T>): T {
  if (answer.status !== status) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

const login = async (client: ApiClient, identifier: string) =>
  expectStatus(200, await client.post<SessionBody>('/api/v1/login', { identifier, password: PASSWORD }));

describe('under continuous traffic no request fails while', () => {
  const clock = new MovableClock();
  let app: TestApp;
  let replica: TestApp;
  let replicas: ReplicaSet;

  beforeAll(async () => {
    buildCli();
    app = await TestApp.start({ clock, env: { APP_SECRET: `${'o'.repeat(32)},${'n'.repeat(32)}` } });
    replica = await TestApp.start({ clock, replicaOf: app });
    replicas = new ReplicaSet(app);
  });
  afterAll(async () => {
    await replicas.close();
    await replica.close();
    await app.close();
  });

  /** What a command that must succeed prints. */
  async function print<T>(...args: string[]): Promise<T> {
    const { exitCode, stdout, stderr } = await runCli(app.env, ...args, '--json');
    expect({ args, exitCode, stderr }).toEqual({ args, exitCode: 0, stderr: '' });
    return JSON.parse(stdout) as T;
  }

  it('the replicas move from one JWT key to the next, and honour the tokens of both', async () => {
    const client = await app.client();
    const consumer = await register(client);
    const tokens = [consumer.token];
    const at = [client, client.at(replica.baseUrl)];
    const traffic = new Traffic(CLIENTS, async (index) => {
      const [here = client, there = client] = index % 2 === 0 ? at : at.toReversed();
      const { token } = await login(here, consumer.email);
      if (tokens.every((known) => kidOf(known) !== kidOf(token))) tokens.push(token);
      for (const known of [token, ...tokens]) expectStatus(200, await there.as(known).get('/api/v1/me'));
    });
    await traffic.flows(5);

    // Sooner than the command allows, for the sake of the test's time.
    const config = app.nest.get(AppConfig);
    const { kid } = await new JwtKeyRotation(new JwtKeysFile(config), config, clock).generate(5);
    while (tokens.length < 2 && traffic.failures.length === 0) await sleep(50);
    // The other replica reads the same clock here, so it signs with the new key too by now.
    await traffic.flows(5);
    await traffic.stop();

    expect(traffic.failures).toEqual([]);
    expect(Math.min(...traffic.rounds)).toBeGreaterThanOrEqual(10);
    expect(tokens.map(kidOf)).toEqual([kidOf(consumer.token), kid]);
    for (const there of at) {
      expect(kidOf((await login(there, consumer.email)).token)).toBe(kid);
      const { body } = await there.get<{ keys: ListedKey[] }>('/.well-known/jwks.json');
      expect(body.keys.map((key) => key.kid)).toEqual([kid, kidOf(consumer.token)]);
    }
    expect((await print<ListedKey[]>('keys', 'list')).map((key) => [key.kid, key.state])).toEqual([
      [kid, 'signing'],
      [kidOf(consumer.token), 'verifying'],
    ]);
  });

  it('the replicas move from one APP_SECRET to the next, and know what was made under both', async () => {
    const [oldSecret, newSecret] = ['o'.repeat(32), 'n'.repeat(32)];
    await replicas.add({ APP_SECRET: oldSecret });
    await replicas.add({ APP_SECRET: oldSecret });
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
    await replicas.restart({ APP_SECRET: newSecret });
    await everyLogin();
  });

  it('a touchpoint moves from its old key to a new one, and the use of both is told', async () => {
    const old = await app.client();
    const { token } = await register(old);
    const code = old.headers['X-Touchpoint-Code'] ?? '';
    const keyOf = Array<string>(CLIENTS).fill(old.headers[KEY] ?? '');
    const traffic = new Traffic(CLIENTS, async (client) => {
      const sender = old.as(token).with({ [KEY]: keyOf[client] ?? '' });
      for (const { baseUrl } of [app, replica]) expectStatus(200, await sender.at(baseUrl).get('/api/v1/me'));
    });
    await traffic.flows(10);

    const { key } = await print<{ key: string }>('touchpoint', 'rotate-key', code, '--overlap', '10m');
    for (const client of keyOf.keys()) {
      keyOf[client] = key;
      await traffic.flows(5);
    }
    const lastUses = async () => {
      const { keys } = await print<{ keys: KeyUse[] }>('touchpoint', 'show', code);
      return keys.map(({ hint, lastUsedAt }) => [hint, lastUsedAt !== null]);
    };
    const bothUsed = [
      [key.slice(-4), true],
      [old.headers[KEY]?.slice(-4), true],
    ];
    for (;;) {
      const uses = await lastUses();
      expect(uses).toHaveLength(2);
      if (JSON.stringify(uses) === JSON.stringify(bothUsed)) break;
    }
    const statusOfOld = async ({ baseUrl }: TestApp) => (await old.as(token).at(baseUrl).get('/api/v1/me')).status;
    for (const at of [app, replica]) expect(await statusOfOld(at)).toBe(200);
    clock.advance({ seconds: 600 });
    for (const at of [app, replica]) while ((await statusOfOld(at)) !== 401) await sleep(50);
    await traffic.flows(10);
    await traffic.stop();

    expect(traffic.failures).toEqual([]);
    expect(Math.min(...traffic.rounds)).toBeGreaterThanOrEqual(40);
  });
});
