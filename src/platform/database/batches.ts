import type { EntityManager } from 'typeorm';

/** Small enough that no statement meets its deadline. */
const BATCH_ROWS = 1_000;

/**
 * Runs an UPDATE or DELETE until it finds nothing more, and answers how many rows it changed in all. Its `$1` is the
 * most rows that one run may change.
 */
export async function changeInBatches(
  manager: EntityManager,
  statement: string,
  ...values: unknown[]
): Promise<number> {
  for (let total = 0; ;) {
    const [, count] = await manager.query<[unknown[], number]>(statement, [BATCH_ROWS, ...values]);
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
  return changeInBatches(
    manager,
    `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${table} WHERE ${column} = $2 LIMIT $1 FOR UPDATE))`,
    value,
  );
}
