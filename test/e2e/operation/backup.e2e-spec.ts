import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ApiClient } from '../../support/api/api-client';
import { newPerson, PASSWORD, register, type SessionBody } from '../../support/api/consumers';
import { type Event, SubscriberClient } from '../../support/api/subscribers';
import { codeSentTo } from '../../support/messages/mailbox';
import { TestService } from '../../support/service/test-service';
import { createTestDatabase, type TestDatabase } from '../../support/service/database/test-database';
import { until } from '../../support/until';

const POSTGRESQL = process.env.TEST_DATABASE_URL;
const EXAMPLE_URL = 'postgres://postgres@127.0.0.1:5432/consumers';
const ME = '/api/v1/me';
const REGISTER = '/api/v1/register';
const VERIFICATION = '/api/v1/verifications/email';

/** The commands of the guide under a heading, block by block. */
function documentedCommands(heading: string): string[] {
  const guide = readFileSync(join(__dirname, '../../../docs/operate/backup.md'), 'utf8');
  const [, section = ''] = guide.split(`\n## ${heading}\n`);
  return [...(section.split('\n## ')[0] ?? '').matchAll(/```sh\n([^`]+)```/g)].map(([, commands = '']) => commands);
}

interface Before {
  consumers: { email: string; token: string; profile: unknown }[];
  loggedOut: string;
  retried: { key: string; person: object; customerId: string };
  openCode: { email: string; code: string };
  reader: { subscriber: SubscriberClient; cursor: string; unread: Event[] };
  rows: Record<string, string>;
}

describe('the backup that the guide describes', () => {
  let directory: string;
  let app: TestService;
  let client: ApiClient;
  let before: Before;
  let restored: TestService;
  const databases: TestDatabase[] = [];

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'consumer-service-backup-'));
    mkdirSync(join(directory, 'data'));
    if (POSTGRESQL !== undefined) databases.push(await createTestDatabase(POSTGRESQL));
    app = await TestService.start({ env: place('data', databases[0]?.url) });
    client = await app.client();
    before = await use(app, client);
    restored = await (POSTGRESQL === undefined ? restoreDirectory() : restoreDatabase(POSTGRESQL));
    client = client.at(restored.baseUrl);
  });
  afterAll(async () => {
    await restored.close();
    await app.close();
    await Promise.all(databases.map((database) => database.drop()));
    rmSync(directory, { recursive: true });
  });

  const place = (dataDir: string, databaseUrl: string | undefined) => ({
    DATA_DIR: join(directory, dataDir),
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
  });

  const run = (commands: string, env: Record<string, string> = {}) =>
    promisify(execFile)('bash', ['-euc', commands], { cwd: directory, env: { ...process.env, ...env } });

  async function restoreDirectory(): Promise<TestService> {
    const [commands = ''] = documentedCommands('The embedded database');
    const [start, dataDir = ''] = /^DATABASE_URL=embedded DATA_DIR=(\S+) npm run start:prod\n/m.exec(commands) ?? [];
    if (start === undefined) throw new Error('The guide does not say how to start on what was restored');
    await app.close();
    await run(commands.replaceAll('/var/lib/consumer-service', directory).replace(start, ''));
    return TestService.start({ env: place(dataDir, undefined) });
  }

  /** With the secrets, which the guide keeps apart, but nothing else of the former machine's disk. */
  async function restoreDatabase(serverUrl: string): Promise<TestService> {
    const [commands = ''] = documentedCommands('PostgreSQL');
    const [source] = databases;
    const copy = await createTestDatabase(serverUrl);
    databases.push(copy);
    await copy.drop();
    const { hostname, port, username, password } = new URL(serverUrl);
    await run(adapted(commands, source?.url ?? '', copy.url), {
      PGHOST: hostname,
      PGPORT: port || '5432',
      PGUSER: username,
      ...(password !== '' && { PGPASSWORD: password }),
    });
    for (const secret of ['app-secret', 'jwt-keys.json']) {
      cpSync(join(directory, 'data', secret), join(directory, 'restored', secret));
    }
    return TestService.start({ env: place('restored', copy.url) });
  }

  const adapted = (commands: string, source: string, copy: string) =>
    commands
      .replaceAll(`${EXAMPLE_URL}_restored`, copy)
      .replaceAll(EXAMPLE_URL, source)
      .replaceAll('consumers_restored', new URL(copy).pathname.slice(1));

  it('brings back every row', async () => {
    expect(await rowsOf(restored)).toEqual(before.rows);
    expect(before.rows.consumer).not.toBe(before.rows.touchpoint);
  });

  it('leaves cursors of subscribers good: nothing is lost or told twice', async () => {
    const { subscriber, cursor, unread } = before.reader;
    const reader = new SubscriberClient(subscriber.code, subscriber.api.at(restored.baseUrl));
    expect(await reader.readAll(cursor)).toEqual(unread);
    const last = unread.at(-1)?.position ?? cursor;
    const { customerId } = await register(client);
    const next = await reader.readAll(last);
    expect(next.map(({ subject, position }) => [subject, BigInt(position)])).toEqual([[customerId, BigInt(last) + 1n]]);
  });

  it('leaves open sessions open, ended ones ended, and every profile as it was', async () => {
    for (const { token, profile } of before.consumers) {
      const { status, body, headers } = await client.as(token).get(ME);
      expect([status, headers.get('ETag'), body]).toEqual([200, ...(profile as unknown[])]);
    }
    expect((await client.as(before.loggedOut).get(ME)).status).toBe(401);
  });

  it('still knows what was asked before, and who has which address', async () => {
    const { key, person, customerId } = before.retried;
    const again = await client.with({ 'Idempotency-Key': key }).post<SessionBody>(REGISTER, person);
    expect([again.status, again.headers.get('Idempotency-Replayed'), again.body.customerId]).toEqual([
      201,
      'true',
      customerId,
    ]);
    expect((await client.post(REGISTER, { ...person, firstName: 'Eve' })).status).toBe(409);
  });

  if (POSTGRESQL !== undefined) {
    it('opens no session by a request from before the backup, once the guide was followed', async () => {
      const [, ending = ''] = documentedCommands('PostgreSQL');
      await run(adapted(ending, '', databases[1]?.url ?? ''));
      const { key, person } = before.retried;
      const again = await client.with({ 'Idempotency-Key': key }).post<{ code: string }>(REGISTER, person);
      expect([again.status, again.body.code]).toEqual([409, 'IDENTIFIER_TAKEN']);
    });

    it('takes no code from before the backup, once the guide was followed', async () => {
      const { email, code } = before.openCode;
      const { body: session } = await client.post<SessionBody>('/api/v1/login', {
        identifier: email,
        password: PASSWORD,
      });
      const { status, body } = await client
        .as(session.token)
        .post<{ code: string }>(`${VERIFICATION}/confirm`, { code });
      expect([status, body.code]).toEqual([410, 'CODE_EXPIRED']);
    });
  }

  it('lets everybody log in, also after the sessions were ended for safety', async () => {
    if (POSTGRESQL !== undefined) {
      const [, ending = ''] = documentedCommands('PostgreSQL');
      await run(adapted(ending, '', databases[1]?.url ?? ''));
      for (const { token } of before.consumers) expect((await client.as(token).get(ME)).status).toBe(401);
      const waiting = await restored.query('SELECT FROM message');
      expect(waiting).toEqual([]);
    }
    for (const { email } of before.consumers) {
      const { status } = await client.post('/api/v1/login', { identifier: email, password: PASSWORD });
      expect(status).toBe(200);
    }
  });
});

/** What a service has seen by the time of the backup. */
async function use(app: TestService, client: ApiClient): Promise<Before> {
  const consumers = [];
  for (const attributes of [{ tier: 'gold' }, { ключ: '\u{1f511}' }, {}]) {
    const { email, token } = await register(client, { attributes, address: { country: 'DE' } });
    const { headers, body } = await client.as(token).get(ME);
    consumers.push({ email, token, profile: [headers.get('ETag'), body] });
  }
  const { token: loggedOut } = await register(client);
  await client.as(loggedOut).post('/api/v1/logout');
  const [person, key] = [newPerson(), 'before-the-backup'];
  const { body } = await client.with({ 'Idempotency-Key': key }).post<SessionBody>(REGISTER, person);
  const proving = await register(client);
  await client.as(proving.token).post(`${VERIFICATION}/request`);
  const openCode = { email: proving.email, code: await codeSentTo(app, proving.email) };
  const retried = { key, person, customerId: body.customerId };
  const subscriber = await SubscriberClient.create(app, '--from-start');
  const { nextAfter: cursor } = await subscriber.read({ limit: 2 });
  const reader = { subscriber, cursor, unread: await subscriber.readAll(cursor) };
  // A message that has been sent is deleted a moment later.
  await until(async () => (await app.query('SELECT FROM message')).length === 0);
  return { consumers, loggedOut, retried, openCode, reader, rows: await rowsOf(app) };
}

/** Those into which the service itself moves rows behind the requests; `event_…` are the months of the log. */
const MOVING = '^(activity|consumer_version|event|event_.*)$';

/** How many rows each of the service's own tables has, and how many events there are, numbered or not. */
async function rowsOf(app: TestService): Promise<Record<string, string>> {
  const tables = await app.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename !~ $1 ORDER BY 1`,
    [MOVING],
  );
  const counts = tables.map(({ name }) => `(SELECT count(*) FROM "${name}") AS "${name}"`);
  const events = '(SELECT count(*) FROM event) + (SELECT count(*) FROM event_pending) AS events';
  const [rows = {}] = await app.query<Record<string, string>>(`SELECT ${[...counts, events].join(', ')}`);
  return rows;
}
