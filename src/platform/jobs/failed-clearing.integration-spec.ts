import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ExpiredRows } from './expired-rows';
import { FixedClock } from '../../../test/support/in-process/fixed-clock';
import { LogFile } from '../../../test/support/in-process/log-file';
import { scrape, valueOf } from '../../../test/support/service/metrics';
import { TestApp } from '../../../test/support/in-process/test-app';

const FAILURES = 'consumer_service_scheduled_job_failures_total';
const PATIENCE_MS = 20_000;

describe('a table whose expired rows cannot be deleted', () => {
  const clock = new FixedClock();
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.start({ clock });
  });
  afterAll(() => app.close());

  const sql = <T = unknown>(text: string, values?: unknown[]): Promise<T[]> => app.dataSource.query(text, values);
  const addExpired = async () => {
    const long = new Date(clock.epochMs() - 400 * 24 * 3_600_000);
    await sql(`INSERT INTO login_attempt SELECT sha256(gen_random_uuid()::text::bytea), 1, $1`, [long]);
    await sql(
      `INSERT INTO send_limit (key, sent_at, last_sent_at)
         SELECT sha256(gen_random_uuid()::text::bytea), ARRAY[$1::timestamptz], $1`,
      [long],
    );
  };
  const left = async () => {
    const [row] = await sql<{ attempts: number; sends: number }>(
      `SELECT (SELECT count(*)::int FROM login_attempt) AS attempts, (SELECT count(*)::int FROM send_limit) AS sends`,
    );
    return row;
  };
  const whileBroken = async (table: string, act: () => Promise<void>) => {
    await sql(`ALTER TABLE ${table} RENAME TO broken`);
    await act();
    await sql(`ALTER TABLE broken RENAME TO ${table}`);
  };

  it.each(['session', 'challenge', 'touchpoint_key', 'idempotency_record', 'used_assertion'])(
    'does not keep the others from being cleared: %s',
    async (table) => {
      await addExpired();
      await whileBroken(table, async () => {
        await expect(app.nest.get(ExpiredRows).deleteAll()).rejects.toThrow(`Expired rows stay in ${table}`);
      });
      expect(await left()).toEqual({ attempts: 0, sends: 0 });
    },
  );

  it('is told of in the log and counted', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'clearing-'));
    const log = new LogFile(directory, 'log');
    await addExpired();
    await sql(`DELETE FROM scheduled_job WHERE name = 'expired-rows'`);
    await whileBroken('used_assertion', async () => {
      const replica = await TestApp.start({
        clock,
        replicaOf: app,
        env: { METRICS_PORT: '0', LOG_LEVEL: 'info' },
        logger: log.logger,
      });
      const failures = async () =>
        valueOf((await scrape(replica.metricsAddress)).samples, FAILURES, { task: 'expired-rows' });
      const patience = AbortSignal.timeout(PATIENCE_MS);
      while ((await failures()) !== 1 && !patience.aborted) await sleep(50);
      await replica.close();
    });
    expect(await left()).toEqual({ attempts: 0, sends: 0 });
    expect(log.lines()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ msg: 'Expired rows could not be deleted', table: 'used_assertion' }),
        expect.objectContaining({ msg: 'A scheduled job failed', job: 'expired-rows' }),
      ]),
    );
    await rm(directory, { recursive: true });
  });
});
