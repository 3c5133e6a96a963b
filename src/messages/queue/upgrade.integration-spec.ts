import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { codeFor, GATEWAY_SECRET, listed } from '../../../test/support/in-process/queued-messages';
import { Restarts } from '../../../test/support/in-process/restarts';
import type { TestApp } from '../../../test/support/in-process/test-app';
import { SmsGateway } from '../../../test/support/messages/sms-gateway';
import { until } from '../../../test/support/until';
import { Clock } from '../../platform/clock';
import { newId } from '../../platform/random';
import type { Message } from '../message';
import { MessageDeliveries } from './message-deliveries';
import { MessageSeal } from './message-seal';

const FORMER_QUEUE = readFileSync(join(__dirname, '../../../test/fixtures/pgboss/schema.sql'), 'utf8');
const onPostgres: (name: string, test: () => Promise<void>) => void =
  process.env.TEST_DATABASE_URL === undefined ? () => undefined : it;

const codeTo = (to: string): Message => codeFor(to);
const noticeTo = (to: string): Message => ({ kind: 'password-changed', channel: 'sms', to, locale: null });

/** Columns of `pgboss.job`, as SQL. */
type Columns = Record<string, string>;

describe('messages of the version before, which kept them in the tables of a package', () => {
  let gateway: SmsGateway;
  let place: Restarts;
  let former: TestApp;

  beforeEach(async () => {
    gateway = await SmsGateway.start();
    place = await Restarts.create();
    former = await start();
    await former.nest.get(MessageDeliveries).beforeApplicationShutdown();
    while (await exists(`to_regclass('message')`)) await former.dataSource.undoLastMigration();
    await former.dataSource.query(FORMER_QUEUE);
  });
  afterEach(async () => {
    await place.dispose();
    gateway.close();
  });

  const start = () => place.start({ env: { SMS_GATEWAY_URL: gateway.url, SMS_GATEWAY_SECRET: GATEWAY_SECRET } });
  const exists = async (what: string, { dataSource } = former) => {
    const [row] = await dataSource.query<{ exists: boolean }[]>(`SELECT ${what} IS NOT NULL AS exists`);
    return row?.exists ?? false;
  };
  const recipients = () => gateway.requests.map(({ body }) => (JSON.parse(body) as { to: string }).to);

  /** Queues a message as that version did. */
  async function add(
    message: Message,
    columns: Columns = {},
    manager: Pick<DataSource, 'query'> = former.dataSource,
    data: object = { expiresAt: new Date(former.nest.get(Clock).epochMs() + 600_000).toISOString() },
  ): Promise<string> {
    const id = newId();
    const sealed = { kind: message.kind, ...former.nest.get(MessageSeal).seal(id, message), ...data };
    await manager.query(
      `INSERT INTO pgboss.job (id, name, data, expire_in, ${['policy', ...Object.keys(columns)].join(', ')})
       VALUES ($1, 'message-sms', $2, interval '60 seconds', ${["'standard'", ...Object.values(columns)].join(', ')})`,
      [id, sealed],
    );
    return id;
  }
  const addUndated = (message: Message, columns: Columns = {}) => add(message, columns, former.dataSource, {});

  it('are sent, unless their code has expired, and nothing of that queue stays', async () => {
    const ids = [
      await add(codeTo('+49301'), { singleton_key: "'shop'" }),
      // From before there were turns, and before messages said when they expire.
      await addUndated(codeTo('+49302')),
      await addUndated(noticeTo('+49303'), { created_on: `now() - interval '1 hour'` }),
      // Taken by a process that has died.
      await add(noticeTo('+49304'), { state: "'active'", started_on: `now() - interval '2 minutes'` }),
    ];
    const late = await addUndated(codeTo('+49305'), { created_on: `now() - interval '10 minutes'` });
    await former.dataSource.query(`INSERT INTO pgboss.job (name, state) VALUES ('expired-rows', 'completed')`);
    await former.close();
    const app = await start();
    await until(async () => (await listed(app)).every(({ state }) => state === 'expired'));
    expect(recipients().sort()).toEqual(['+49301', '+49302', '+49303', '+49304']);
    expect(gateway.requests.map(({ headers }) => headers['webhook-id']).sort()).toEqual(ids.sort());
    expect(await listed(app)).toEqual([expect.objectContaining({ id: late, to: '+49305' })]);
    expect(await exists(`to_regnamespace('pgboss')`, app)).toBe(false);
    await app.close();
  });

  it('keep their state, their attempts and their times', async () => {
    const tried = { retry_count: '2', started_on: `now() - interval '3 seconds'` };
    const ended = { ...tried, completed_on: `now() - interval '1 day'` };
    const output = `jsonb_build_object('reason', 'HTTP 500')`;
    const inAnHour = { start_after: `now() + interval '1 hour'` };
    const all = {
      queued: await add(noticeTo('+49301'), { ...inAnHour, singleton_key: "'shop'", priority: '1' }),
      retrying: await add(codeTo('+49302'), { ...tried, ...inAnHour, state: "'retry'", output }),
      sending: await add(codeTo('+49303'), { ...tried, state: "'active'" }),
      failed: await add(codeTo('+49304'), { ...ended, state: "'failed'", output }),
      expired: await add(codeTo('+49305'), { ...ended, state: "'cancelled'" }),
    };
    const [before] = await former.dataSource.query<[{ at: Date[] }]>(
      `SELECT array_agg(created_on ORDER BY id) AS at FROM pgboss.job`,
    );
    await former.close();
    const app = await start();
    const now = await listed(app);
    expect(now.map(({ state, id, to, attempts }) => [state, id, to, attempts])).toEqual([
      ['queued', all.queued, '+49301', 0],
      ...(['retrying', 'sending', 'failed', 'expired'] as const).map((state, index) => [
        ...[state, all[state], `+4930${index + 2}`, 3],
      ]),
    ]);
    expect(now.map(({ createdAt }) => createdAt)).toEqual(before.at.map((at) => at.toISOString()));
    const rows = await app.dataSource.query<object[]>(
      `SELECT touchpoint, priority, reason, expires_at IS NOT NULL AS expires,
         round(extract(epoch FROM due_at - now()) / 60)::int AS "dueInMinutes",
         round(extract(epoch FROM kept_until - now()) / 86400)::int AS "daysKept"
       FROM message ORDER BY id`,
    );
    const row = { touchpoint: '', priority: 0, reason: null, expires: true, dueInMinutes: null, daysKept: null };
    expect(rows).toEqual([
      { ...row, touchpoint: 'shop', priority: 1, dueInMinutes: 60 },
      { ...row, reason: 'HTTP 500', dueInMinutes: 60 },
      { ...row, dueInMinutes: 1 },
      { ...row, reason: 'HTTP 500', daysKept: 29 },
      { ...row, daysKept: 1 },
    ]);
    await app.close();
  });

  onPostgres('are not lost when they are added while replicas start, and are moved once', async () => {
    const adding = former.dataSource.createQueryRunner();
    await adding.startTransaction();
    const id = await add(codeTo('+49301'), {}, adding);
    const starting = Promise.all([start(), start(), start()]);
    await sleep(1_000);
    await adding.commitTransaction();
    await adding.release();
    const replicas = await starting;
    await until(async () => (await listed(former)).length === 0);
    expect(gateway.requests.map(({ headers }) => headers['webhook-id'])).toEqual([id]);
    await Promise.all([former, ...replicas].map((replica) => replica.close()));
  });
});
