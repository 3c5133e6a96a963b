import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../../support/api/api-client';
import { runCli } from '../../support/service/command-line/cli';
import { register } from '../../support/api/consumers';
import { linesOf } from '../../support/service/log-lines';
import { TestService } from '../../support/service/test-service';
import { until } from '../../support/until';

interface Jwk {
  kid: string;
  d: string;
}

/** How soon a service notices a change of the file. */
const RELOAD_MS = 2_000;

/** Tells of every thread that a process starts. */
const THREAD_WATCH = `--import=data:text/javascript,${encodeURIComponent(
  'process.on("worker", () => process.stderr.write("a thread"))',
)}`;

const keysIn = async (path: string) => (JSON.parse(await readFile(path, 'utf8')) as { keys: Jwk[] }).keys;
const kidOf = (token: string) =>
  (JSON.parse(Buffer.from(token.split('.', 1)[0] ?? '', 'base64url').toString()) as Jwk).kid;

describe('the keys of customer tokens', () => {
  let directory: string;
  let keysFile: string;
  let app: TestService;
  let client: ApiClient;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'consumer-service-keys-'));
    keysFile = join(directory, 'jwt-keys.json');
    const { exitCode } = await runCli({ DATA_DIR: directory, JWT_KEYS_FILE: keysFile }, 'keys', 'generate');
    expect(exitCode).toBe(0);
    app = await TestService.start({ replicaOf: await TestService.shared(), env: { JWT_KEYS_FILE: keysFile } });
    client = await app.client();
  });
  afterAll(() => {
    rmSync(directory, { recursive: true });
  });

  const publishedKids = async () => {
    const { body } = await client.get<{ keys: Jwk[] }>('/.well-known/jwks.json');
    return body.keys.map(({ kid }) => kid);
  };

  const untilPublished = (kids: string[]) => until(async () => (await publishedKids()).join() === kids.join());

  const complaints = () => linesOf(app).filter(({ level }) => level === 'error');

  const untilComplaints = (count: number) => until(() => complaints().length >= count);

  it('can be made by a command, for their owner to read alone, and shown without what is secret', async () => {
    expect(statSync(keysFile).mode & 0o777).toBe(0o600);
    const [first] = await keysIn(keysFile);
    const generated = await app.cliWith({ JWT_KEYS_FILE: keysFile }, 'keys', 'generate', '--overlap', '1h', '--json');
    const [next] = await keysIn(keysFile);
    expect(statSync(keysFile).mode & 0o777).toBe(0o600);
    expect(JSON.parse(generated.stdout)).toMatchObject({ kid: next?.kid, dropped: [] });

    const listed = await app.cliWith({ JWT_KEYS_FILE: keysFile }, 'keys', 'list', '--json');
    expect(listed).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(listed.stdout)).toEqual([
      { kid: next?.kid, state: 'next', signsFrom: expect.any(String) as string, neededUntil: null },
      { kid: first?.kid, state: 'signing', signsFrom: null, neededUntil: expect.any(String) as string },
    ]);
    for (const { d } of await keysIn(keysFile)) expect(generated.stdout + listed.stdout).not.toContain(d);
    const trail = await app.cliWith({ JWT_KEYS_FILE: keysFile }, 'audit', 'list', '--json');
    expect(JSON.parse(trail.stdout)).toContainEqual(
      expect.objectContaining({ type: 'jwt-key.generated', actor: 'cli', details: { kid: next?.kid, dropped: [] } }),
    );

    await untilPublished([next?.kid ?? '', first?.kid ?? '']);
    expect(kidOf((await register(client)).token)).toBe(first?.kid);
  });

  it('are told in one line that they cannot be read or written', async () => {
    const missing = join(directory, 'missing.json');
    const told = await Promise.all([
      app.cliWith({ JWT_KEYS_FILE: missing }, 'keys', 'list'),
      app.cliWith({ JWT_KEYS_FILE: '/proc/jwt-keys.json' }, 'keys', 'generate'),
      app.cliWith({ JWT_KEYS_FILE: keysFile }, 'keys', 'generate', '--overlap', 'soon'),
    ]);
    const messages = [
      `${missing} cannot be used (ENOENT)`,
      '/proc/jwt-keys.json cannot be written (',
      '--overlap must be',
    ];
    for (const [index, { exitCode, stdout, stderr }] of told.entries()) {
      expect([exitCode, stdout, stderr.split('\n').length]).toEqual([1, '', 2]);
      expect(stderr).toContain(messages[index]);
    }
    await expect(TestService.start({ replicaOf: app, env: { JWT_KEYS_FILE: missing } })).rejects.toThrow(
      `Some settings are wrong:\n  JWT_KEYS_FILE: ${missing} cannot be used (ENOENT)`,
    );
  });

  it('sign no sooner than backends know them, unless at once because a key has leaked', async () => {
    const before = await keysIn(keysFile);
    for (const overlap of ['1s', '299s', '4m']) {
      expect(await app.cliWith({ JWT_KEYS_FILE: keysFile }, 'keys', 'generate', '--overlap', overlap)).toEqual({
        exitCode: 1,
        stdout: '',
        stderr: '--overlap must be 5m or more, since backends keep the public keys; or 0 when a key has leaked\n',
      });
    }
    expect(await keysIn(keysFile)).toEqual(before);
    const other = join(directory, 'overlaps.json');
    for (const overlap of ['5m', '0']) {
      const { exitCode } = await app.cliWith({ JWT_KEYS_FILE: other }, 'keys', 'generate', '--overlap', overlap);
      expect([overlap, exitCode]).toEqual([overlap, 0]);
    }
  });

  it('are of no concern to other commands, which start no thread to hash passwords either', async () => {
    const env = { JWT_KEYS_FILE: join(directory, 'missing.json'), NODE_OPTIONS: THREAD_WATCH };
    expect(await runCli({ ...app.env, ...env }, 'touchpoint', 'list', '--json')).toMatchObject({
      exitCode: 0,
      stderr: '',
    });
    const ownDatabase = await runCli({ DATA_DIR: join(directory, 'own'), NODE_OPTIONS: THREAD_WATCH }, 'db', 'status');
    expect(ownDatabase).toMatchObject({ exitCode: 0, stderr: 'a thread' });
    await expect(keysIn(join(directory, 'own', 'jwt-keys.json'))).rejects.toThrow('ENOENT');
  });

  it('are followed while the service runs, which keeps them when the file cannot be used, and says so once', async () => {
    const { token } = await register(client);
    const good = await readFile(keysFile, 'utf8');
    const published = await publishedKids();
    const statusOf = async () => (await client.as(token).get('/api/v1/me')).status;

    const unusable = ['{"keys":', JSON.stringify({ keys: [{ kty: 'oct', k: 'secret' }] })];
    for (const [index, content] of unusable.entries()) {
      writeFileSync(keysFile, content);
      await untilComplaints(index + 1);
      expect(await publishedKids()).toEqual(published);
      expect(await statusOf()).toBe(200);
      expect((await register(client)).token).not.toBe('');
    }
    rmSync(keysFile);
    await untilComplaints(unusable.length + 1);
    await sleep(2 * RELOAD_MS);

    const kids = published.toReversed();
    const { keys } = JSON.parse(good) as { keys: Jwk[] };
    writeFileSync(keysFile, JSON.stringify({ keys: keys.toReversed() }));
    await untilPublished(kids);
    expect(complaints().map(({ msg }) => msg)).toEqual(
      Array(3).fill('The keys of customer tokens have changed and cannot be used: the former ones stay'),
    );
    expect(app.log).not.toContain('secret');
    expect(await statusOf()).toBe(200);

    writeFileSync(keysFile, JSON.stringify({ keys: keys.filter(({ kid }) => kid !== kidOf(token)) }));
    await untilPublished(published.filter((kid) => kid !== kidOf(token)));
    expect(await statusOf()).toBe(401);
  });
});
