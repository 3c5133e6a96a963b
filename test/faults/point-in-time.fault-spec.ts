import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiClient } from '../support/api/api-client';
import { newPerson, PASSWORD, register, type SessionBody } from '../support/api/consumers';
import { credential, SubscriberClient } from '../support/api/subscribers';
import { brokenRows } from '../support/faults/invariants';
import { PostgresCluster } from '../support/faults/postgres-cluster';
import { CreatedTouchpoint, ServiceProcess } from '../support/service/service-process';
import { until } from '../support/until';

// As docs/operate/backup.md has them; PostgreSQL runs them in its data directory.
const ARCHIVE_COMMAND = 'mkdir -p ../archive && test ! -f ../archive/%f && cp %p ../archive/%f';
const RESTORE_COMMAND = 'cp ../archive/%f %p';
/** What that page runs before the service starts again. */
const BEFORE_THE_START = [...readFileSync('docs/operate/backup.md', 'utf8').matchAll(/ -c "([^"]+)"/g)].map(
  ([, statement = '']) => statement,
);

describe('a database that is restored to a moment', () => {
  let cluster: PostgresCluster;
  let env: Record<string, string>;
  let touchpoint: CreatedTouchpoint;
  let subscriberKey: string;

  beforeAll(async () => {
    cluster = await PostgresCluster.start({ archive_mode: 'on', archive_command: ARCHIVE_COMMAND });
    env = { DATA_DIR: await mkdtemp(join(tmpdir(), 'point-in-time-')), DATABASE_URL: cluster.url, BCRYPT_COST: '4' };
    touchpoint = CreatedTouchpoint.create(env, 'shop');
    const create = ['dist/cli.js', 'subscriber', 'create', '--code', 'crm', '--json'];
    const options = { env: { PATH: process.env.PATH, ...env }, encoding: 'utf8' } as const;
    subscriberKey = (JSON.parse(execFileSync(process.execPath, create, options)) as { key: string }).key;
  }, 180_000);
  afterAll(async () => {
    await cluster.dispose();
    await rm(env.DATA_DIR ?? '', { recursive: true });
  });

  const readerOf = ({ baseUrl }: ServiceProcess) =>
    new SubscriberClient('crm', new ApiClient(baseUrl, {}).with(credential('crm', subscriberKey)));
  const endOf = async (reader: SubscriberClient) => (await reader.readAll()).at(-1)?.position;

  it('has what was registered before it, nothing of what came after, and cursors that lose nothing', async () => {
    const before = await ServiceProcess.start(env);
    const client = touchpoint.clientOf(before);
    const copied = await register(client);
    await cluster.backUp();
    const kept = await register(client);
    const cursorBefore = await endOf(readerOf(before));
    const moment = await cluster.now();
    const later = await register(client);
    await client.as(kept.token).patch('/api/v1/me', { firstName: 'Later' });
    const cursorLater = await endOf(readerOf(before));
    await cluster.archiveAll();
    await before.kill('SIGTERM');
    await cluster.stop('immediate');

    await cluster.restoreTo(moment, RESTORE_COMMAND);
    await until(async () => (await cluster.query<object>('SELECT 1 WHERE NOT pg_is_in_recovery()')).length > 0);
    for (const statement of BEFORE_THE_START) await cluster.query(statement);
    const after = await ServiceProcess.start(env);
    const restored = touchpoint.clientOf(after);
    const logIn = (identifier: string) =>
      restored.post<SessionBody>('/api/v1/login', { identifier, password: PASSWORD });
    expect((await logIn(copied.email)).status).toBe(200);
    const { body } = await logIn(kept.email);
    expect((await restored.as(body.token).get('/api/v1/me')).body).toMatchObject({ firstName: newPerson().firstName });
    expect((await logIn(later.email)).status).toBe(401);
    for (const { token } of [kept, later]) expect((await restored.as(token).get('/api/v1/me')).status).toBe(401);

    const { customerId } = await register(restored, { email: later.email });
    for (const cursor of [cursorBefore, cursorLater]) {
      const told = await readerOf(after).readAll(cursor);
      expect(told.map(({ type, subject }) => [type, subject])).toEqual([['consumer.registered', customerId]]);
    }
    expect(await brokenRows(cluster.url)).toEqual([]);
    await after.kill('SIGTERM');
  }, 180_000);
});
