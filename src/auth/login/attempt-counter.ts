import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource, EntityManager } from 'typeorm';
import { Clock } from '../../platform/clock';
import { prepared } from '../../platform/database/preparing-client';

/** How long failures are remembered, in milliseconds from the first of them. */
const WINDOW = 15 * 60_000;

/** What an attempt that did not fail undoes. */
export interface GuessSettlement {
  /** The key whose count ends. */
  cleared: Buffer | null;
  /** Those at which the attempt is taken back: an identifier, and then an address. */
  takenBack: [identifier: Buffer | null, address: Buffer | null];
}

/**
 * A statement that counts one attempt at each of `keys`, an SQL expression, if `condition` holds, and returns those that
 * had room for it beside `limit`; its parameters from `first` on are `AttemptCounter.window`. The conditional update
 * decides: of attempts in parallel only as many are counted as the limit allows.
 */
export function counting(keys: string, limit: number, first: number, condition = 'true'): string {
  const [now, windowEnd] = [`$${first}::timestamptz`, `$${first + 1}::timestamptz`];
  // A count that has been taken back wholly never was, and so leaves no window that others could tell it by.
  const isOver = `(known.failures = 0 OR known.window_ends_at <= ${now})`;
  return `
  INSERT INTO login_attempt AS known (key, failures, window_ends_at)
  SELECT key, 1, ${windowEnd} FROM unnest(${keys}) AS given (key) WHERE ${condition} ORDER BY key
  ON CONFLICT (key) DO UPDATE SET
    failures = CASE WHEN ${isOver} THEN 1 ELSE known.failures + 1 END,
    window_ends_at = CASE WHEN ${isOver} THEN ${windowEnd} ELSE known.window_ends_at END
  WHERE known.failures < ${limit} OR ${isOver}
  RETURNING key`;
}

/**
 * For a statement that does what an attempt was for and settles it at once: the part of its `WITH` that ends the count of
 * the key in the parameter given. A single key: with arrays PostgreSQL planned the statement anew each time.
 */
export const clearing = (key: number): string =>
  `cleared AS (DELETE FROM login_attempt WHERE key = $${key}::bytea RETURNING key)`;

/**
 * The parts that take the attempt back from the identifier and the address in the parameters from `first` on. Each names
 * the one before, so that rows are locked in this order, and statements never wait in a circle.
 */
export const takingBack = (first: number): string => `
    from_identifier AS (${takingBackAfter('cleared', first)}),
    from_address AS (${takingBackAfter('from_identifier', first + 1)})`;

const takingBackAfter = (part: string, key: number): string => `
      UPDATE login_attempt SET failures = failures - 1
      WHERE key = $${key}::bytea AND failures > 0 AND (SELECT count(*) FROM ${part}) >= 0 RETURNING key`;

const SETTLE = prepared(`WITH ${clearing(1)}, ${takingBack(2)} SELECT 1`);

/** Counts failures by key, in windows that begin with the first failure. */
@Injectable()
export class AttemptCounter {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /** The parameters of `counting`: now, and when a window ends that begins now. */
  window(): [now: Date, end: Date] {
    const now = this.clock.now();
    return [now, new Date(now.getTime() + WINDOW)];
  }

  /** When the last window of these keys ends. */
  async windowEnd(keys: Buffer[]): Promise<Date> {
    const [row] = await this.dataSource.query<{ end: Date | null }[]>(
      'SELECT max(window_ends_at) AS end FROM login_attempt WHERE key = ANY($1)',
      [keys],
    );
    return row?.end ?? this.clock.now();
  }

  /** Takes back one attempt at each key. */
  async takeBack(keys: Buffer[]): Promise<void> {
    await Promise.all(keys.map((key) => this.settle({ cleared: null, takenBack: [key, null] })));
  }

  /** Ends the count of every key, in the order in which `counting` locks them. */
  async clear(keys: Buffer[], manager: EntityManager): Promise<void> {
    for (const key of keys.toSorted((one, other) => one.compare(other))) {
      await this.settle({ cleared: key, takenBack: [null, null] }, manager);
    }
  }

  async settle({ cleared, takenBack }: GuessSettlement, manager = this.dataSource.manager): Promise<void> {
    await manager.query(SETTLE, [cleared, ...takenBack]);
  }
}
