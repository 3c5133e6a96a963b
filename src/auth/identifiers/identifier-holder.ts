import sql, { type Sql } from 'sql-template-tag';

/** Selects the `consumer_id` of whoever has the identifier, claimed or verified. */
export const holderOf = (kind: string, value: string): Sql =>
  sql`SELECT consumer_id FROM identifier WHERE value = ${value} AND kind = ${kind} AND NOT pending`;
