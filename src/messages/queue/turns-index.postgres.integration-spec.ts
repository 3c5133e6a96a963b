import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { Messages } from '../messages.service';
import { TestApp } from '../../../test/support/in-process/test-app';

const PATIENCE_MS = 25_000;
const CODE = {
  ...({ kind: 'verification-code', channel: 'email', to: 'ada@example.com' } as const),
  ...{ locale: null, touchpoint: 'shop' },
  ...{ code: '048213', expiresInMinutes: 10 },
};

// Only on PostgreSQL: the embedded database has one session, so nobody can hold a lock beside it.
describe('the index by which jobs are taken', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.start();
    await until(isComplete);
  });
  beforeEach(() => app.dataSource.query('DROP INDEX IF EXISTS pgboss.job_turns'));
  afterAll(() => app.close());

  async function isComplete(): Promise<boolean> {
    const [{ complete }] = await app.dataSource.query<[{ complete: boolean }]>(
      `SELECT EXISTS (SELECT 1 FROM pg_index WHERE indexrelid = to_regclass('pgboss.job_turns') AND indisvalid)
         AND NOT EXISTS (SELECT 1 FROM pg_index WHERE NOT indisvalid) AS complete`,
    );
    return complete;
  }

  async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
    const patience = AbortSignal.timeout(PATIENCE_MS);
    while (!(await isSo())) {
      patience.throwIfAborted();
      await sleep(50);
    }
  }

  const enqueue = () => app.dataSource.transaction((manager) => app.nest.get(Messages).enqueue(manager, CODE));

  it('holds up neither the start of a service nor messages while it has to wait', async () => {
    const other = app.dataSource.createQueryRunner();
    await other.startTransaction();
    // As somebody who has added a message and not committed yet.
    await other.query('LOCK TABLE pgboss.job IN ROW EXCLUSIVE MODE');
    const replica = await TestApp.start({ replicaOf: app });
    for (let sent = 0; sent < 12; sent += 1) {
      await enqueue();
      await sleep(500);
    }
    await other.commitTransaction();
    await other.release();
    await until(isComplete);
    await replica.close();
  }, 60_000);

  it('is made while messages wait, and by one of the replicas that start at once', async () => {
    await app.dataSource.query(
      `INSERT INTO pgboss.job (name, data, singleton_key, start_after)
       SELECT 'message-sms', '{}', n % 3, now() + interval '1 hour' FROM generate_series(1, 20000) n`,
    );
    const replicas = await Promise.all([1, 2, 3].map(() => TestApp.start({ replicaOf: app })));
    await enqueue();
    await until(isComplete);
    await Promise.all(replicas.map((replica) => replica.close()));
  }, 60_000);

  it('is made anew where an earlier start has left it half made', async () => {
    const [{ name }] = await app.dataSource.query<[{ name: string }]>(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'pgboss.job'::regclass`,
    );
    const left = `${name.replace('pgboss.', '')}_turns`;
    await app.dataSource.query(`CREATE INDEX ${left} ON ${name} (priority)`);
    await app.dataSource.query(`UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'pgboss.${left}'::regclass`);
    const replica = await TestApp.start({ replicaOf: app });
    await until(isComplete);
    await replica.close();
  }, 60_000);

  it('is missed by a line in the log, and by nothing else, when it cannot be made', async () => {
    const lines: string[] = [];
    const logger = pino({ level: 'error' }, { write: (line) => void lines.push(line) });
    await app.dataSource.query('CREATE TABLE pgboss.job_turns ()');
    const replica = await TestApp.start({ replicaOf: app, logger });
    await until(() => lines.length > 0);
    await enqueue();
    await replica.close();
    await app.dataSource.query('DROP TABLE pgboss.job_turns');
    expect(lines).toEqual([expect.stringContaining('The index by which jobs are taken could not be made')]);
  }, 60_000);
});
