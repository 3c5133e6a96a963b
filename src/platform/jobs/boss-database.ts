import type { Db } from 'pg-boss';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { violatedConstraint } from '../database/database-errors';

/** Lets pg-boss use the service's own connections. */
export const poolDatabase = (dataSource: DataSource): Db => ({
  async executeSql(text: string, values?: unknown[]) {
    const runner = dataSource.createQueryRunner();
    try {
      return await execute(runner, text, values);
    } catch (error) {
      // A text without values has several statements and a transaction of its own, which an error leaves open.
      if (values === undefined) await runner.query('ROLLBACK').catch(() => undefined);
      throw madeMeanwhile(error) ? new Error('The queue already exists', { cause: error }) : error;
    } finally {
      await runner.release();
    }
  },
});

/** Lets pg-boss take part in a transaction. */
export function transactionDatabase({ queryRunner }: EntityManager): Db {
  if (!queryRunner?.isTransactionActive) throw new Error('A job can be added only in a transaction');
  return { executeSql: (text: string, values?: unknown[]) => execute(queryRunner, text, values) };
}

/**
 * Whether another replica has made the queue's schema at the same time. PostgreSQL tells so by a catalogue's index where
 * pg-boss expects the words "already exists".
 */
const madeMeanwhile = (error: unknown): boolean => violatedConstraint(error)?.startsWith('pg_') ?? false;

async function execute(runner: QueryRunner, text: string, values?: unknown[]): Promise<{ rows: unknown[] }> {
  const { records } = await runner.query(text, values, true);
  return { rows: records };
}
