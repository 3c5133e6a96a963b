import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiClient } from '../../support/api/api-client';
import { CODE, codeOf, KEY, statusFor, type TouchpointView, untilStatus } from '../../support/api/touchpoints';
import { runCli } from '../../support/service/command-line/cli';
import { TestService } from '../../support/service/test-service';
import { until } from '../../support/until';

const COUNTRIES = '/api/v1/reference/countries';

describe('the commands for touchpoints', () => {
  const shopCode = `shop-${randomUUID()}`;
  let app: TestService;

  beforeAll(async () => {
    app = await TestService.shared();
  });

  async function print<T = Record<string, unknown>>(...args: string[]): Promise<T> {
    const { exitCode, stdout, stderr } = await app.cli(...args, '--json');
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
      ...['touchpoint', 'create', '--code', shopCode, '--name', 'The shop', '--auth-mode', 'OTP'],
      ...['--channel-proof', 'NONE', '--rate-limit', '5/3600'],
    );
    const settings = { code: shopCode, name: 'The shop', authenticationMode: 'OTP', channelProof: 'NONE' };
    expect(created).toMatchObject({ ...settings, enabled: true, rateLimit: '5/3600' });
    const shop = new ApiClient(app.baseUrl, { [CODE]: shopCode, [KEY]: String(created.key) });
    const answer = await shop.get(COUNTRIES);
    expect([answer.status, answer.headers.get('ratelimit-policy')]).toEqual([200, '"touchpoint";q=5;w=3600']);
    expect((await shop.post('/api/v1/login', {})).body).toMatchObject({ code: 'LOGIN_METHOD_NOT_ALLOWED' });

    const { key: _, ...shown } = created;
    expect(await print('touchpoint', 'show', shopCode)).toMatchObject({ ...shown, keys: [{ expiresAt: null }] });

    const updated = await print(
      ...['touchpoint', 'update', shopCode, '--auth-mode', 'PASSWORD', '--rate-limit', 'unlimited'],
    );
    expect(updated).toMatchObject({ ...settings, authenticationMode: 'PASSWORD', rateLimit: 'unlimited' });
    await until(async () => (await shop.post('/api/v1/login', {})).body.code === 'VALIDATION_FAILED');
    expect((await shop.get(COUNTRIES)).headers.get('ratelimit')).toBeNull();

    const rotated = await print('touchpoint', 'rotate-key', shopCode, '--overlap', '24h');
    expect(rotated).toMatchObject({
      code: shopCode,
      keys: [{ expiresAt: null }, { hint: String(created.key).slice(-4) }],
    });
    const renewed = shop.with({ [KEY]: String(rotated.key) });
    await untilStatus(renewed, 200);
    expect(await statusFor(shop)).toBe(200);

    expect(await print('touchpoint', 'disable', shopCode)).toMatchObject({ code: shopCode, enabled: false });
    await untilStatus(shop, 401);
    expect(await print('touchpoint', 'enable', shopCode)).toMatchObject({ code: shopCode, enabled: true });
    await untilStatus(shop, 200);

    const list = await print<TouchpointView[]>('touchpoint', 'list');
    // Between the two commands the service may write when a key was last used.
    const lasting = ({ keys, ...rest }: TouchpointView) => ({
      ...rest,
      keys: keys.map(({ lastUsedAt: _, ...key }) => key),
    });
    expect(list.map(lasting)).toContainEqual(lasting(await print<TouchpointView>('touchpoint', 'show', shopCode)));
    expect(JSON.stringify(list)).not.toContain('tpk_');
  });

  it('tell a mistake in one line and exit 1, having changed nothing', async () => {
    const taken = codeOf(await app.client());
    const touchpoints = async () =>
      (await app.administer<TouchpointView[]>('touchpoint', 'list')).map(({ code, enabled, updatedAt, keys }) => [
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
      [['touchpoint', 'disable', taken, shopCode], /too many arguments/],
      [['touchpoint', 'destroy', taken], /unknown command 'touchpoint destroy'/],
    ];
    const told = await Promise.all(mistakes.map(([command]) => app.cli(...command)));
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
      expect(status.applied).toEqual((await app.administer<{ applied: string[] }>('db', 'status')).applied);
      expect(status.applied).not.toEqual([]);
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});
