import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import sql, { empty, type Sql } from 'sql-template-tag';
import type { DataSource, EntityManager } from 'typeorm';
import { change, run, runPrepared } from '../../platform/database/statement';
import type { EventType } from './event-types';

/** Where the log ends. */
export interface Head {
  /** Of the last event; positions begin at 1 and rise by one, except after a restore. */
  position: bigint;
  /** Events up to this position are no longer kept. */
  floor: bigint;
  /** Whether acts have been committed that have no position yet. */
  isBehind: boolean;
}

/** An event as the log keeps it. */
export interface LoggedEvent {
  position: string;
  id: string;
  type: EventType;
  occurredAt: Date;
  consumerId: string;
  consumerVersion: string;
  touchpoint: string | null;
  data: object;
}

/** Which events; an empty list of touchpoints stands for all. */
export interface EventFilter {
  types: readonly EventType[];
  touchpoints: readonly string[];
}

/** Events after one position, up to another one. */
export interface EventRange {
  after: bigint;
  upTo: bigint;
}

const COLUMNS = sql`position, id, type, occurred_at AS "occurredAt", consumer_id AS "consumerId",
  consumer_version AS "consumerVersion", touchpoint, data`;

/** For the `JOIN` of another owner's statement. */
export const EVENT_HEAD = sql`event_head h`;

/** When the first event after a position was numbered; null if there is none. */
export const firstNumberedAfter = (position: Sql): Sql =>
  sql`(SELECT numbered_at FROM event WHERE position > ${position} ORDER BY position LIMIT 1)`;

/** Every statement on `event`, `event_head` and `consumer_version`, and those that take from `event_pending`. */
@Injectable()
export class EventRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async readHead(): Promise<Head> {
    const [row] = await runPrepared<{ position: string; floor: string; isBehind: boolean }>(
      this.dataSource,
      sql`SELECT position, floor, EXISTS (SELECT 1 FROM event_pending) AS "isBehind" FROM event_head`,
    );
    if (!row) throw new Error('The log of events has no head');
    return { position: BigInt(row.position), floor: BigInt(row.floor), isBehind: row.isBehind };
  }

  /** One process numbers events at a time: the others wait here, and see afterwards what it has done. */
  async lockHead(manager: EntityManager): Promise<{ position: bigint; numberedAt: Date }> {
    const [row] = await run<{ position: string; numberedAt: Date }>(
      manager,
      sql`SELECT position, numbered_at AS "numberedAt" FROM event_head FOR UPDATE`,
    );
    if (!row) throw new Error('The log of events has no head');
    return { position: BigInt(row.position), numberedAt: row.numberedAt };
  }

  /**
   * Gives the first `limit` committed events the positions after this one, and answers how many there were. It must not
   * be one statement with the lock: that would not see what was committed during the wait.
   */
  async numberEvents(manager: EntityManager, position: bigint, numberedAt: Date, limit: number): Promise<number> {
    const [row] = await run<{ count: number }>(
      manager,
      sql`WITH taken AS (
          DELETE FROM event_pending WHERE id = ANY(ARRAY(SELECT id FROM event_pending ORDER BY id LIMIT ${limit}))
          RETURNING *),
        placed AS (SELECT *, ${String(position)}::bigint + row_number() OVER (ORDER BY id) AS position FROM taken),
        counted AS (
          SELECT consumer_id, count(*) AS events, max(position) FILTER (WHERE type = 'consumer.erased') AS erased
          FROM placed GROUP BY consumer_id),
        raised AS (
          INSERT INTO consumer_version AS known (consumer_id, version, erased_position)
          SELECT consumer_id, events, erased FROM counted
          ON CONFLICT (consumer_id) DO UPDATE SET version = known.version + excluded.version,
            erased_position = coalesce(excluded.erased_position, known.erased_position)
          RETURNING consumer_id, version),
        numbered AS (
          INSERT INTO event (position, numbered_at, id, type, occurred_at, consumer_id, consumer_version, touchpoint, data)
          SELECT position, ${numberedAt}, event_id, type, occurred_at,
            consumer_id, version - events + row_number() OVER (PARTITION BY consumer_id ORDER BY id), touchpoint, data
          FROM placed JOIN counted USING (consumer_id) JOIN raised USING (consumer_id)
          RETURNING 1)
        SELECT count(*)::integer AS count FROM numbered`,
    );
    return row?.count ?? 0;
  }

  async moveHead(manager: EntityManager, position: bigint, numberedAt: Date): Promise<void> {
    await run(manager, sql`UPDATE event_head SET position = ${String(position)}::bigint, numbered_at = ${numberedAt}`);
  }

  /** In their order. */
  findEvents({ types, touchpoints }: EventFilter, { after, upTo }: EventRange, limit: number): Promise<LoggedEvent[]> {
    const there =
      touchpoints.length === 0 ? empty : sql`AND (touchpoint IS NULL OR touchpoint = ANY(${touchpoints}::text[]))`;
    return runPrepared<LoggedEvent>(
      this.dataSource,
      sql`SELECT ${COLUMNS} FROM event
        WHERE position > ${String(after)}::bigint AND position <= ${String(upTo)}::bigint AND type = ANY(${types}::text[]) ${there}
        ORDER BY position LIMIT ${limit}`,
    );
  }

  /** The position of the last event that was numbered before this time; null if there is none. */
  async findLastBefore(time: Date): Promise<bigint | null> {
    const [row] = await run<{ position: string }>(
      this.dataSource,
      sql`SELECT position FROM event WHERE numbered_at < ${time} ORDER BY numbered_at DESC, position DESC LIMIT 1`,
    );
    return row ? BigInt(row.position) : null;
  }

  /** The position of this consumer's erasure; null if the log has none. */
  async findErasure(consumerId: string): Promise<string | null> {
    const [row] = await run<{ position: string | null }>(
      this.dataSource,
      sql`SELECT erased_position AS position FROM consumer_version WHERE consumer_id = ${consumerId}`,
    );
    return row?.position ?? null;
  }

  async countErasuresAfter(position: string): Promise<number> {
    const [row] = await run<{ count: number }>(
      this.dataSource,
      sql`SELECT count(*)::integer AS count FROM consumer_version WHERE erased_position > ${position}::bigint`,
    );
    return row?.count ?? 0;
  }

  async raiseFloor(floor: bigint): Promise<void> {
    await change(
      this.dataSource,
      sql`UPDATE event_head SET floor = ${String(floor)}::bigint WHERE floor < ${String(floor)}::bigint`,
    );
  }
}
