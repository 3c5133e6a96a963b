import { DataSource, type EntityManager } from 'typeorm';
import { isConflict } from './database-errors';

const MAX_RETRIES = 3;

type Run<T> = (manager: EntityManager) => Promise<T>;
type IsolationLevel = Parameters<DataSource['transaction']>[0];

/**
 * Repeats a transaction that the database rolled back because of another one (deadlock, serialization failure). So
 * nothing in a transaction may have an effect outside it; if it must, use `manager.transaction`.
 */
export class RetryingDataSource extends DataSource {
  override transaction<T>(run: Run<T>): Promise<T>;
  override transaction<T>(isolationLevel: Exclude<IsolationLevel, Run<unknown>>, run: Run<T>): Promise<T>;
  override async transaction<T>(...given: [Run<T>] | [Exclude<IsolationLevel, Run<unknown>>, Run<T>]): Promise<T> {
    for (let retries = 0; ; retries += 1) {
      try {
        return await (given.length === 1 ? super.transaction(given[0]) : super.transaction(given[0], given[1]));
      } catch (error) {
        if (retries === MAX_RETRIES || !isConflict(error)) throw error;
      }
    }
  }
}
