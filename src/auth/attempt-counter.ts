import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource, EntityManager } from 'typeorm';
import { Clock } from '../platform/clock';
import { prepared } from '../platform/database/preparing-client';

/** How long failures are remembered, in milliseconds from the first of them. */
const WINDOW = 15 * 60_000;

/** What an attempt that did not fail undoes: it ends the count of one key, and takes itself back from another. */
export interface GuessSettlement {
  cleared: Buffer | null;
  takenBack: Buffer | null;
}

/**
 * A statement that counts one attempt at each of `keys`, an SQL expression, and returns those that had room; its
 * parameters from `first` on are `countingValues`. The conditional update decides: of attempts in parallel only as many
 * are counted as the limit allows.
 */
export const counting = (keys: string, first: number): string => {
  const [now, windowEnd, limit] = [`$${first}::timestamptz`, `$${first + 1}::timestamptz`, `$${first + 2}::integer`];
  return `
  INSERT INTO login_attempt AS known (key, failures, window_ends_at)
  SELECT key, 1, ${windowEnd} FROM unnest(${keys}) AS given (key) ORDER BY key
  ON CONFLICT (key) DO UPDATE SET
    failures = CASE WHEN known.window_ends_at <= ${now} THEN 1 ELSE known.failures + 1 END,
    window_ends_at = CASE WHEN known.window_ends_at <= ${now} THEN ${windowEnd} ELSE known.window_ends_at END
  WHERE known.failures < ${limit} OR known.window_ends_at <= ${now}
  RETURNING key`;
};

export const countingValues = (now: Date, limit: number): unknown[] => [now, new Date(now.getTime() + WINDOW), limit];

const COUNT = prepared(counting('ARRAY[$1::bytea]', 2));

/**
 * For a statement that does what an attempt was for and settles it at once: the part of its `WITH` that ends the count of
 * the key in the parameter given. A single key: with arrays PostgreSQL planned the statement anew each time.
 */
export const clearing = (key: number): string =>
  `cleared AS (DELETE FROM login_attempt WHERE key = $${key}::bytea RETURNING key)`;

/**
 * The part that takes the attempt back from the key in the parameter given. It names `cleared` so that rows are locked in
 * this order, and statements never wait in a circle.
 */
export const takingBack = (key: number): string => `
    taken_back AS (
      UPDATE login_attempt SET failures = failures - 1
      WHERE key = $${key}::bytea AND failures > 0 AND (SELECT count(*) FROM cleared) >= 0)`;

const SETTLE = prepared(`WITH ${clearing(1)}, ${takingBack(2)} SELECT 1`);

/** Counts failures by key, in windows that begin with the first failure. */
@Injectable()
export class AttemptCounter {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Counts one attempt unless the key is full: then the answer is when its window ends. */
  async count(key: Buffer, limit: number): Promise<Date | null> {
    const counted = await this.dataSource.query<unknown[]>(COUNT, [key, ...countingValues(this.clock.now(), limit)]);
    return this.refusal([key], counted.length === 0 ? [] : [key], limit);
  }

  /** Null when all keys were counted; otherwise what was counted is taken back, and the answer is as of `count`. */
  async refusal(keys: Buffer[], counted: Buffer[], limit: number): Promise<Date | null> {
    if (counted.length === keys.length) return null;
    await this.takeBack(counted);
    const [full] = await this.dataSource.query<{ until: Date | null }[]>(
      'SELECT max(window_ends_at) AS until FROM login_attempt WHERE key = ANY($1) AND failures >= $2',
      [keys, limit],
    );
    return full?.until ?? this.clock.now();
  }

  /** Takes back one attempt at each key. */
  async takeBack(keys: Buffer[]): Promise<void> {
    await Promise.all(keys.map((key) => this.settle({ cleared: null, takenBack: key })));
  }

  /** Ends the count of every key, in the order in which `counting` locks them. */
  async clear(keys: Buffer[], manager?: EntityManager): Promise<void> {
    for (const key of keys.toSorted((one, other) => one.compare(other))) {
      await this.settle({ cleared: key, takenBack: null }, manager);
    }
  }

  async settle({ cleared, takenBack }: GuessSettlement, manager = this.dataSource.manager): Promise<void> {
    await manager.query(SETTLE, [cleared, takenBack]);
  }
}
