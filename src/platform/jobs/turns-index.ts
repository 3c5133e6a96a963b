import type { DataSource } from 'typeorm';
import { LOCK_TIMEOUT, retryLocks, withoutDeadlines } from '../database/patience';

/** Any constant: whoever makes the index holds this advisory lock. */
const ADVISORY_LOCK = 7_215_031_968;

/** Finds the due jobs of each party and priority without reading the others. */
const ENTRIES = `(name, COALESCE(singleton_key, ''), priority, start_after) WHERE state < 'active'`;

const STATE = `
  SELECT EXISTS (SELECT 1 FROM pg_index WHERE indexrelid = to_regclass('pgboss.job_turns') AND indisvalid) AS complete,
    COALESCE(current_setting('consumer_service.embedded', true) = 'on', false) AS embedded`;

/** The tables of queues that have no part of the index. */
const LACKING = `
  SELECT queue.relname AS name FROM pg_inherits JOIN pg_class queue ON queue.oid = inhrelid
  WHERE inhparent = 'pgboss.job'::regclass AND NOT EXISTS (
    SELECT 1 FROM pg_inherits part JOIN pg_index ON pg_index.indexrelid = part.inhrelid
    WHERE part.inhparent = to_regclass('pgboss.job_turns') AND pg_index.indrelid = queue.oid)`;

/** Makes the index of `FairFetch` if it is not complete yet, while jobs are added and taken. `signal` ends the tries. */
export async function makeTurnsIndex(dataSource: DataSource, signal: AbortSignal): Promise<void> {
  const [{ complete, embedded }] = await dataSource.query<[{ complete: boolean; embedded: boolean }]>(STATE);
  if (complete) return;
  await withoutDeadlines(dataSource, async (patient) => {
    if (embedded) await patient.query(`CREATE INDEX IF NOT EXISTS job_turns ON pgboss.job ${ENTRIES}`);
    else await makeBesides(patient, signal);
  });
}

/**
 * PostgreSQL makes no index of a table with partitions at once without locking it: so the table's own is empty, and those of
 * its partitions are made by themselves and attached. Only one replica does, and puts right what another left half made.
 */
async function makeBesides(dataSource: DataSource, signal: AbortSignal): Promise<void> {
  const change = (statement: string) =>
    retryLocks(
      dataSource,
      async (manager) => {
        await manager.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT}`);
        await manager.query(statement);
      },
      signal,
    );
  await dataSource.transaction(async (guard) => {
    // Without parameters, for which the driver would leave a cursor open: what is made `CONCURRENTLY` would wait for that.
    const [{ mine }] = await guard.query<[{ mine: boolean }]>(
      `SELECT pg_try_advisory_xact_lock(${ADVISORY_LOCK}) AS mine`,
    );
    if (!mine) return;
    await change(`CREATE INDEX IF NOT EXISTS job_turns ON ONLY pgboss.job ${ENTRIES}`);
    for (const { name } of await dataSource.query<{ name: string }[]>(LACKING)) {
      const part = `${name}_turns`;
      await dataSource.query(`DROP INDEX CONCURRENTLY IF EXISTS pgboss."${part}"`);
      await dataSource.query(`CREATE INDEX CONCURRENTLY "${part}" ON pgboss."${name}" ${ENTRIES}`);
      await change(`ALTER INDEX pgboss.job_turns ATTACH PARTITION pgboss."${part}"`);
    }
  });
}
