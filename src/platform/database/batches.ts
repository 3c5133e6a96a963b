import sql, { raw, type Sql } from 'sql-template-tag';
import type { EntityManager } from 'typeorm';
import { change } from './statement';

/** Small enough that no statement meets its deadline. */
const BATCH_ROWS = 1_000;

/**
 * Runs an UPDATE or DELETE that changes at most the given number of rows until it finds nothing more; answers how many
 * it changed in all.
 */
export async function changeInBatches(manager: EntityManager, statement: (limit: number) => Sql): Promise<number> {
  for (let total = 0; ;) {
    const { count } = await change(manager, statement(BATCH_ROWS));
    total += count;
    if (count < BATCH_ROWS) return total;
  }
}

/** Deletes the rows whose `column` has this value; answers how many there were. */
export function deleteInBatches(
  manager: EntityManager,
  table: string,
  column: string,
  value: unknown,
): Promise<number> {
  const found = (limit: number) =>
    sql`SELECT ctid FROM ${raw(table)} WHERE ${raw(column)} = ${value} LIMIT ${limit} FOR UPDATE`;
  return changeInBatches(manager, (limit) => sql`DELETE FROM ${raw(table)} WHERE ctid = ANY(ARRAY(${found(limit)}))`);
}
