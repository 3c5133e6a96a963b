import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../../../test/support/api/api-client';
import { expectStatus, PASSWORD, register, type SessionBody } from '../../../test/support/api/consumers';
import { Traffic } from '../../../test/support/faults/traffic';
import { MovableClock } from '../../../test/support/in-process/movable-clock';
import { TestApp } from '../../../test/support/in-process/test-app';
import { runCli } from '../../../test/support/service/command-line/cli';
import { AppConfig } from '../../platform/settings/config';
import { JwtKeyRotation } from './jwt-key-rotation';
import { JwtKeysFile } from './jwt-keys-file';

const CLIENTS = 4;

interface ListedKey {
  kid: string;
  state: string;
}

const kidOf = (token: string) =>
  (JSON.parse(Buffer.from(token.split('.', 1)[0] ?? '', 'base64url').toString()) as ListedKey).kid;

const login = async (client: ApiClient, identifier: string) =>
  expectStatus(200, await client.post<SessionBody>('/api/v1/login', { identifier, password: PASSWORD }));

describe('under continuous traffic no request fails while', () => {
  const clock = new MovableClock();
  let app: TestApp;
  let replica: TestApp;

  beforeAll(async () => {
    app = await TestApp.start({ clock });
    replica = await TestApp.start({ clock, replicaOf: app });
  });
  afterAll(async () => {
    await replica.close();
    await app.close();
  });

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
    const listed = JSON.parse((await runCli(app.env, 'keys', 'list', '--json')).stdout) as ListedKey[];
    expect(listed.map((key) => [key.kid, key.state])).toEqual([
      [kid, 'signing'],
      [kidOf(consumer.token), 'verifying'],
    ]);
  });
});
