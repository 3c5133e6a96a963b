import sql, { empty, raw, type Sql } from 'sql-template-tag';
import type { DataSource, EntityManager } from 'typeorm';
import { retryLocks } from './patience';
import { run } from './statement';

/** After the present month. */
const MONTHS_AHEAD = 2;

export interface Partition {
  name: string;
  /** Null where it begins with the oldest row, or takes what no other partition does. */
  from: Date | null;
  /** Null for the one that takes what no other does. */
  to: Date | null;
}

export interface PartitionedTable {
  name: string;
  /** The time by which it is partitioned. */
  column: string;
  /** What the partitions have and the table as a whole cannot: a unique index without the time. */
  constraint?: (partition: string) => string;
}

/** The months, in UTC, by which a table is partitioned: old rows go with their month, not one by one. */
export class MonthlyPartitions {
  constructor(
    private readonly dataSource: DataSource,
    private readonly table: PartitionedTable,
  ) {}

  /** In the order of time. */
  find(manager: EntityManager = this.dataSource.manager): Promise<Partition[]> {
    const bound = (pattern: string) => sql`substring(pg_get_expr(c.relpartbound, c.oid) FROM ${pattern})::timestamptz`;
    return run<Partition>(
      manager,
      sql`SELECT c.relname AS name, ${bound("FROM \\('([^']+)'\\)")} AS "from", ${bound("TO \\('([^']+)'\\)")} AS "to"
        FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = to_regclass(${this.table.name})
        ORDER BY "to", name`,
    );
  }

  /** In a transaction: makes the months from this time to `end` that no partition covers, one process at a time. */
  async make(manager: EntityManager, from: Date, end: Date): Promise<void> {
    await run(manager, sql`LOCK TABLE ${nameOf(this.table.name)} IN SHARE UPDATE EXCLUSIVE MODE`);
    const existing = await this.find(manager);
    const rest = existing.find(({ to }) => to === null);
    for (let month = monthOf(from); month < end; month = addMonths(month, 1)) {
      const next = addMonths(month, 1);
      const isCovered = existing.some((one) => one.to !== null && one.to >= next && (one.from ?? month) <= month);
      if (isCovered) continue;
      if (rest && month <= from) await this.holdWriters(manager);
      await this.makeMonth(manager, month, next, rest);
    }
  }

  async drop({ name }: Partition): Promise<void> {
    await retryLocks(this.dataSource, (manager) => run(manager, sql`DROP TABLE IF EXISTS ${nameOf(name)}`));
  }

  /**
   * Until the present month is attached: PostgreSQL fails a row that was on its way to the partition of the rest when that
   * ceased to take the month.
   */
  private async holdWriters(manager: EntityManager): Promise<void> {
    await run(manager, sql`LOCK TABLE ONLY ${nameOf(this.table.name)} IN SHARE ROW EXCLUSIVE MODE`);
  }

  /** Attached, and not created as a partition: that would lock the whole table. */
  private async makeMonth(manager: EntityManager, from: Date, to: Date, rest: Partition | undefined): Promise<void> {
    const { name, column, constraint } = this.table;
    const [parent, time] = [nameOf(name), raw(column)];
    const month = nameOf(`${name}_${from.toISOString().slice(0, 7).replace('-', '_')}`);
    const own = constraint ? sql`, ${raw(constraint(month.sql))}` : empty;
    await run(manager, sql`CREATE TABLE ${month} (LIKE ${parent} INCLUDING ALL${own})`);
    if (rest) {
      await run(
        manager,
        sql`WITH moved AS (DELETE FROM ${nameOf(rest.name)} WHERE ${time} >= ${from} AND ${time} < ${to} RETURNING *)
          INSERT INTO ${month} SELECT * FROM moved`,
      );
    }
    const [start, end] = [from, to].map((bound) => raw(`'${bound.toISOString()}'`));
    await run(manager, sql`ALTER TABLE ${parent} ATTACH PARTITION ${month} FOR VALUES FROM (${start}) TO (${end})`);
  }
}

const monthOf = (time: Date): Date => firstOf(time.getUTCFullYear(), time.getUTCMonth());

/** Up to when partitions are made ahead: a service that was down for a while finds one for what it writes. */
export const endOfMonthsAhead = (time: Date): Date => addMonths(time, MONTHS_AHEAD + 1);

/** The first day of the month this many months later. */
const addMonths = (time: Date, count: number): Date => firstOf(time.getUTCFullYear(), time.getUTCMonth() + count);

const firstOf = (year: number, month: number): Date => new Date(Date.UTC(year, month));

/** Names of tables cannot be parameters. */
function nameOf(name: string): Sql {
  if (!/^[a-z0-9_]+$/.test(name)) throw new Error(`${name} is not a name of a table`);
  return raw(name);
}
