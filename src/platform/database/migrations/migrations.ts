import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type DataSource,
  type EntityManager,
  MigrationExecutor,
  type MigrationInterface,
  type QueryRunner,
} from 'typeorm';
import { LOCK_TIMEOUT, retryLocks, withoutDeadlines } from '../patience';

/** Every migration in its order: `migrations/NAME.up.sql` and `.down.sql`. What has shipped is never edited. */
const MIGRATION_NAMES = [
  '0001-touchpoints',
  '0002-consumers',
  '0003-auth',
  '0004-verification',
  '0005-audit',
  '0006-audit-trail',
  '0007-identify',
  '0008-idempotency',
  '0009-imports',
  '0010-send-allowances',
  '0011-registrations',
  '0012-messages',
  '0013-recoveries',
  '0014-disabled-consumers',
  '0015-session-lifetimes',
  '0016-operators',
  '0017-operator-accounts',
  '0018-activity',
  '0019-events',
  '0020-webhooks',
  '0021-audit-until',
  '0022-audit-checks',
  '0023-audit-partitions',
];

const DIRECTORY = join(__dirname, '../../../../migrations');

/** TypeORM orders migrations by the thirteen digits at the end of their names: this and the number of the file. */
const EPOCH = 1_763_683_199_999;

/** The advisory lock held while this database is migrated; any constant would do. */
const ADVISORY_LOCK = 7_215_031_966;

export const MIGRATIONS = MIGRATION_NAMES.map((name) => {
  const read = (direction: string) => readFileSync(join(DIRECTORY, `${name}.${direction}.sql`), 'utf8');
  return class implements MigrationInterface {
    name = `${name}-${EPOCH + Number.parseInt(name, 10)}`;

    async up(queryRunner: QueryRunner): Promise<void> {
      await queryRunner.query(read('up'));
    }

    async down(queryRunner: QueryRunner): Promise<void> {
      await queryRunner.query(read('down'));
    }
  };
});

export interface MigrationStatus {
  applied: string[];
  pending: string[];
}

/** Which migrations the database has, and which it lacks. */
export async function migrationStatus(dataSource: DataSource): Promise<MigrationStatus> {
  const names = dataSource.migrations.map((migration) => migration.name ?? '');
  const [{ migrated }] = await dataSource.query<[{ migrated: boolean }]>(
    `SELECT to_regclass('migration') IS NOT NULL AS migrated`,
  );
  const rows = migrated ? await dataSource.query<{ name: string }[]>('SELECT name FROM migration') : [];
  const applied = new Set(rows.map((row) => row.name));
  return { applied: names.filter((name) => applied.has(name)), pending: names.filter((name) => !applied.has(name)) };
}

/** Told of each migration before it is applied, and how many are left with it. */
type Applying = (name: string, left: number) => void;

/**
 * Applies pending migrations, each in a transaction of its own; if replicas start together, one applies it and the others
 * wait. A statement may take as long as a large table needs, but waits only briefly for a lock.
 */
export async function migrate(dataSource: DataSource, applying?: Applying): Promise<string[]> {
  if ((await migrationStatus(dataSource)).pending.length === 0) return [];
  return withoutDeadlines(dataSource, async (patient) => {
    const applied: string[] = [];
    for (;;) {
      const name = await retryLocks(patient, (manager) => applyNext(patient, manager, applying));
      if (name === null) return applied;
      applied.push(name);
    }
  });
}

/** Null if nothing is pending. */
async function applyNext(
  dataSource: DataSource,
  { queryRunner }: EntityManager,
  applying?: Applying,
): Promise<string | null> {
  if (!queryRunner) throw new Error('A transaction has a query runner');
  // Behind a pooler the deadlines may be set on the role; the lock's would end the wait for another process.
  await queryRunner.query('SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0');
  await queryRunner.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCK]);
  await queryRunner.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT}`);
  const executor = new MigrationExecutor(dataSource, queryRunner);
  const pending = await executor.getPendingMigrations();
  const [next] = pending;
  if (!next) return null;
  applying?.(next.name, pending.length);
  await executor.executeMigration(next);
  return next.name;
}
