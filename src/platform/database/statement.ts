import type { Sql } from 'sql-template-tag';
import type { DataSource, EntityManager } from 'typeorm';
import { prepared } from './connection/preparing-client';

/** Runs a statement built from fragments; its values are parameters. */
export const run = <Row extends object>(database: DataSource | EntityManager, { text, values }: Sql): Promise<Row[]> =>
  database.query<Row[]>(text, values);

/** The same for a statement that requests repeat; outside transactions it is prepared. */
export const runPrepared = <Row extends object>(
  database: DataSource | EntityManager,
  { text, values }: Sql,
): Promise<Row[]> => database.query<Row[]>(prepared(text), values);

export interface Changed<Row> {
  rows: Row[];
  count: number;
}

/** Runs an `UPDATE` or `DELETE`: what it returns, and how many rows it changed, which TypeORM answers side by side. */
export async function change<Row extends object>(
  database: DataSource | EntityManager,
  { text, values }: Sql,
): Promise<Changed<Row>> {
  const [rows, count] = await database.query<[Row[], number]>(text, values);
  return { rows, count };
}
