import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { SERVICE_ORIGIN } from '../../src/platform/audit/origin';
import { Touchpoint } from '../../src/touchpoints/touchpoint.entity';
import { ApiClient } from '../support/api-client';
import { buildCli, inTwos, runCli } from '../support/cli';
import { MovableClock } from '../support/movable-clock';
import { TestApp } from '../support/test-app';

const CODE = 'X-Touchpoint-Code';
const KEY = 'X-Touchpoint-Key';
const COUNTRIES = '/api/v1/reference/countries';

/** How long a replica may go on accepting what has been revoked (contract: at most one second). */
const REVOCATION_MS = 1_000;

const STRANGERS = 200;

const codeOf = (client: ApiClient) => client.headers[CODE] ?? '';
const keyOf = (client: ApiClient) => client.headers[KEY] ?? '';
const statusFor = async (client: ApiClient) => (await client.get(COUNTRIES)).status;

async function untilStatus(client: ApiClient, status: number): Promise<void> {
  while ((await statusFor(client)) !== status) await setTimeout(20);
}

describe('touchpoints', () => {
  const clock = new MovableClock();
  let app: TestApp;
  let replica: TestApp;

  beforeAll(async () => {
    buildCli();
    app = await TestApp.start({ clock });
    replica = await TestApp.start({ clock, replicaOf: app });
  });
  afterAll(async () => {
    await replica.close();
    await app.close();
  });

  const rotate = async (client: ApiClient, overlapSeconds: number) =>
    client.with({ [KEY]: (await app.touchpoints.rotateKey(codeOf(client), overlapSeconds, SERVICE_ORIGIN)).key });

  it('have keys that secret scanners can find, of which only a digest is stored', async () => {
    const client = await app.client();
    const key = keyOf(client);
    const [, body = '', checksum] = /^(tpk_[A-Za-z0-9_-]{43})([A-Za-z0-9_-]{6})$/.exec(key) ?? [];
    expect(checksum).toBe(createHash('sha256').update(body).digest('base64url').slice(0, 6));
    expect(Buffer.from(body.slice(4), 'base64url')).toHaveLength(32);

    const rows = await app.dataSource.query<{ digest: Buffer; hint: string; row: string }[]>(
      'SELECT digest, hint, k::text AS row FROM touchpoint_key k JOIN touchpoint t ON t.id = touchpoint_id WHERE code = $1',
      [codeOf(client)],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.digest).toEqual(createHash('sha256').update(key).digest());
    expect(rows[0]?.hint).toBe(key.slice(-4));
    for (const part of [key, body.slice(4), body.slice(4, 20)]) expect(rows[0]?.row).not.toContain(part);
  });

  it('are refused by every replica within a second of being disabled, and accepted again when enabled', async () => {
    const client = await app.client();
    const everywhere = [client, client.at(replica.baseUrl)];
    for (const there of everywhere) expect(await statusFor(there)).toBe(200);

    await app.touchpoints.update(codeOf(client), { enabled: false }, SERVICE_ORIGIN);
    await setTimeout(REVOCATION_MS / 2);
    // Being asked meanwhile must not make a replica believe any longer.
    for (const there of everywhere) await statusFor(there);
    await setTimeout(REVOCATION_MS / 2);
    for (const there of everywhere) expect(await statusFor(there)).toBe(401);

    await app.touchpoints.update(codeOf(client), { enabled: true }, SERVICE_ORIGIN);
    for (const there of everywhere) await untilStatus(there, 200);
  });

  it('are asked for by one statement at a time, however many codes strangers make up', async () => {
    const client = await app.client();
    const repository = app.dataSource.getRepository(Touchpoint);
    const find = repository.find.bind(repository);
    let [asking, mostAtOnce] = [0, 0];
    const spy = jest.spyOn(repository, 'find').mockImplementation(async (options) => {
      mostAtOnce = Math.max(mostAtOnce, (asking += 1));
      // Long enough for the others to have come meanwhile, on any machine.
      await setTimeout(50);
      return find(options).finally(() => (asking -= 1));
    });
    const strangers = Array.from({ length: STRANGERS }, (_, index) => client.with({ [CODE]: `made-up-${index}` }));
    const statuses = await Promise.all([client, ...strangers].map(statusFor)).finally(() => {
      spy.mockRestore();
    });
    expect(statuses).toEqual([200, ...strangers.map(() => 401)]);
    expect(mostAtOnce).toBe(1);
  });

  it('lose the old key within a second when it is replaced without an overlap', async () => {
    const old = await app.client();
    expect(await statusFor(old)).toBe(200);
    const renewed = await rotate(old, 0);
    await setTimeout(REVOCATION_MS);
    for (const { baseUrl } of [app, replica]) {
      expect(await statusFor(old.at(baseUrl))).toBe(401);
      expect(await statusFor(renewed.at(baseUrl))).toBe(200);
    }
  });

  it('have two live keys during a rotation, and never more, however often they rotate', async () => {
    const first = await app.client();
    const second = await rotate(first, 3600);
    await untilStatus(second, 200);
    expect(await statusFor(first)).toBe(200);

    const third = await rotate(second, 3600);
    await untilStatus(third, 200);
    expect([await statusFor(first), await statusFor(second)]).toEqual([401, 200]);

    const fourth = await rotate(third, 3600);
    await untilStatus(fourth, 200);
    expect([await statusFor(first), await statusFor(second), await statusFor(third)]).toEqual([401, 401, 200]);
    expect((await app.touchpoints.get(codeOf(first))).keys).toHaveLength(2);

    const fifth = await rotate(fourth, 0);
    await untilStatus(fifth, 200);
    expect([await statusFor(third), await statusFor(fourth)]).toEqual([401, 401]);
  });

  it('lose the old key when the overlap ends, and keep the new one', async () => {
    const old = await app.client();
    const renewed = await rotate(old, 600);
    expect(await statusFor(old)).toBe(200);
    clock.advance({ seconds: 600 });
    await untilStatus(old, 401);
    expect(await statusFor(renewed)).toBe(200);
  });

  it('have one row for each key when they rotate many times at once', async () => {
    const client = await app.client();
    await Promise.all(Array.from({ length: 8 }, () => app.touchpoints.rotateKey(codeOf(client), 3600, SERVICE_ORIGIN)));
    const { keys } = await app.touchpoints.get(codeOf(client));
    expect(keys.map(({ expiresAt }) => expiresAt === null).sort()).toEqual([false, true]);
  });

  it('are known to have been used, by key', async () => {
    const old = await app.client();
    const renewed = await rotate(old, 3600);
    const another = await TestApp.start({ replicaOf: app });
    expect(await statusFor(renewed.at(another.baseUrl))).toBe(200);
    // What is written behind the requests is written at the latest when the process stops.
    await another.close();
    const { keys } = await app.touchpoints.get(codeOf(old));
    const used = (key: string) => keys.find(({ hint }) => hint === key.slice(-4))?.lastUsedAt;
    expect(used(keyOf(renewed))).toBeInstanceOf(Date);
    expect(used(keyOf(old))).toBeNull();
  });

  describe('on the command line', () => {
    /** What a command that must succeed prints: exactly one JSON value on one line, and nothing beside it but a warning. */
    async function print<T = Record<string, unknown>>(...args: string[]): Promise<T> {
      const { exitCode, stdout, stderr } = await runCli(app.env, ...args, '--json');
      expect({ args, exitCode, stderr, lines: stdout.split('\n').length }).toEqual({
        args,
        exitCode: 0,
        stderr: args.includes('OTP') ? (expect.stringMatching(/^Login by one-time code is reserved/) as string) : '',
        lines: 2,
      });
      return JSON.parse(stdout) as T;
    }

    it('are created and changed while the service runs', async () => {
      const created = await print(
        ...['touchpoint', 'create', '--code', 'shop', '--name', 'The shop', '--auth-mode', 'OTP'],
        ...['--channel-proof', 'NONE', '--rate-limit', '5/3600'],
      );
      const settings = { code: 'shop', name: 'The shop', authenticationMode: 'OTP', channelProof: 'NONE' };
      expect(created).toMatchObject({ ...settings, enabled: true, rateLimit: '5/3600' });
      const shop = new ApiClient(app.baseUrl, { [CODE]: 'shop', [KEY]: String(created.key) });
      const answer = await shop.get(COUNTRIES);
      expect([answer.status, answer.headers.get('ratelimit-policy')]).toEqual([200, '"touchpoint";q=5;w=3600']);
      expect((await shop.post('/api/v1/login', {})).body).toMatchObject({ code: 'LOGIN_METHOD_NOT_ALLOWED' });

      const { key: _, ...shown } = created;
      expect(await print('touchpoint', 'show', 'shop')).toMatchObject({ ...shown, keys: [{ expiresAt: null }] });

      const updated = await print(
        ...['touchpoint', 'update', 'shop', '--auth-mode', 'PASSWORD', '--rate-limit', 'unlimited'],
      );
      expect(updated).toMatchObject({ ...settings, authenticationMode: 'PASSWORD', rateLimit: 'unlimited' });
      for (;;) {
        const { body } = await shop.post('/api/v1/login', {});
        if (body.code === 'VALIDATION_FAILED') break;
      }
      expect((await shop.get(COUNTRIES)).headers.get('ratelimit')).toBeNull();

      const rotated = await print('touchpoint', 'rotate-key', 'shop', '--overlap', '24h');
      expect(rotated).toMatchObject({
        code: 'shop',
        keys: [{ expiresAt: null }, { hint: String(created.key).slice(-4) }],
      });
      const renewed = shop.with({ [KEY]: String(rotated.key) });
      await untilStatus(renewed, 200);
      expect(await statusFor(shop)).toBe(200);

      expect(await print('touchpoint', 'disable', 'shop')).toMatchObject({ code: 'shop', enabled: false });
      await untilStatus(shop, 401);
      expect(await print('touchpoint', 'enable', 'shop')).toMatchObject({ code: 'shop', enabled: true });
      await untilStatus(shop, 200);

      const list = await print<Record<string, unknown>[]>('touchpoint', 'list');
      expect(list.map(({ code }) => code)).toEqual((await app.touchpoints.list()).map(({ code }) => code));
      expect(JSON.stringify(list)).not.toContain('tpk_');
    });

    it('tell a mistake in one line and exit 1, having changed nothing', async () => {
      const taken = codeOf(await app.client());
      const touchpoints = async () =>
        (await app.touchpoints.list()).map(({ code, enabled, updatedAt, keys }) => [
          code,
          enabled,
          updatedAt,
          // A key whose overlap has ended may be cleaned away at any time.
          keys.filter(({ expiresAt }) => expiresAt === null).map(({ hint }) => hint),
        ]);
      const before = await touchpoints();
      const create = ['touchpoint', 'create'];
      const mistakes: [command: string[], message: RegExp][] = [
        [[...create, '--code', taken], /There is a touchpoint .* already/],
        [[...create, '--code', 'No Code'], /3 to 64 of the characters/],
        [[...create, '--code', 'new', '--auth-mode', 'password'], /--auth-mode must be one of PASSWORD, OTP/],
        [[...create, '--code', 'new', '--rate-limit', '0/0'], /--rate-limit must be N\/SECONDS/],
        [[...create, '--code', 'new', '--cod', 'x'], /unknown option '--cod'/],
        [['touchpoint', 'update', 'nobody', '--name', 'x'], /There is no touchpoint nobody/],
        [['touchpoint', 'disable', taken, 'shop'], /too many arguments/],
        [['touchpoint', 'destroy', taken], /unknown command 'touchpoint destroy'/],
      ];
      const told = await inTwos(mistakes, ([command]) => runCli(app.env, ...command));
      for (const [index, [command, message]] of mistakes.entries()) {
        expect({ command, ...told[index] }).toEqual({
          command,
          exitCode: 1,
          stdout: '',
          stderr: expect.stringMatching(new RegExp(`^[^\\n]*${message.source}[^\\n]*\\n$`)) as string,
        });
      }
      expect(await touchpoints()).toEqual(before);
    });

    it('can be the first to open a database, which has its tables by then', async () => {
      const dataDir = await mkdtemp(join(tmpdir(), 'consumer-service-cli-'));
      try {
        const { exitCode, stdout } = await runCli({ DATA_DIR: dataDir }, 'db', 'status', '--json');
        const status = JSON.parse(stdout) as { applied: string[]; pending: string[] };
        expect({ exitCode, pending: status.pending }).toEqual({ exitCode: 0, pending: [] });
        expect(status.applied).toEqual(app.dataSource.migrations.map(({ name }) => name));
      } finally {
        await rm(dataDir, { recursive: true, force: true });
      }
    });
  });
});
