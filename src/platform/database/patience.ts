import { setTimeout } from 'node:timers/promises';
import { AbstractLogger, DataSource, type DataSourceOptions, type EntityManager } from 'typeorm';
import { isConflict, isLockTimeout } from './connection/database-errors';

const LOCK_TRIES = 20;
const PAUSE = 3_000;

/** For a lock, in milliseconds: less than a request waits for its statement. */
export const LOCK_TIMEOUT = 2_000;

/** Opens connections for statements that may take as long as a large table needs. */
export async function withoutDeadlines<T>(
  dataSource: DataSource,
  work: (patient: DataSource) => Promise<T>,
): Promise<T> {
  const patient = await new DataSource(patientOptions(dataSource.options)).initialize();
  try {
    return await work(patient);
  } finally {
    await patient.destroy();
  }
}

/**
 * Runs a transaction that waits for locks only for `LOCK_TIMEOUT`, because requests queue behind it: then everything is
 * rolled back and tried again.
 */
export async function retryLocks<T>(dataSource: DataSource, run: (manager: EntityManager) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await dataSource.transaction(run);
    } catch (error) {
      if (tries === LOCK_TRIES || !(isLockTimeout(error) || isConflict(error))) throw error;
    }
    await setTimeout(PAUSE);
  }
}

/** TypeORM would also print errors that the caller gets, or that the next try resolves. */
class NoLogger extends AbstractLogger {
  protected writeLog(): void {
    return;
  }
}

/** The deadlines, the driver's and the server's, are set for a whole pool. */
const patientOptions = (options: DataSourceOptions): DataSourceOptions => ({
  ...options,
  entities: [],
  logger: new NoLogger(),
  extra: {
    ...(options.extra as object),
    ...{ query_timeout: 0, statement_timeout: 0, lock_timeout: 0, idle_in_transaction_session_timeout: 0 },
  },
});
