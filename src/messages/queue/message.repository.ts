import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import sql from 'sql-template-tag';
import type { DataSource, EntityManager } from 'typeorm';
import { change, run } from '../../platform/database/statement';
import type { Channel, MessageKind } from '../message';
import type { SealedMessage } from './message-seal';

/** An attempt takes at most 20 seconds: after this time the process that had the message is dead. */
const LEASE = sql`interval '60 seconds'`;

/** How long unsent messages stay: failed ones for people to look at. */
const FAILED_STAY = sql`interval '30 days'`;
const EXPIRED_STAY = sql`interval '2 days'`;

/** More than other replicas may be taking at the same moment, because their locked rows are skipped. */
const SPARE_ROWS = 20;
const PAGE_ROWS = 500;
const QUEUED = sql`id, channel, kind, sealed, key, state, attempts, reason, created_at AS "createdAt", due_at AS "dueAt"`;
const NIL_ID = '00000000-0000-0000-0000-000000000000';

interface MessageRow extends SealedMessage {
  id: string;
  channel: Channel;
  kind: MessageKind;
}

interface CausedMessage extends MessageRow {
  /** Empty: none. */
  touchpoint: string;
  expiresAt: Date | null;
}

export interface NewMessage extends CausedMessage {
  priority: number;
}

/** A message that this process must send, while its lease lasts. */
export interface TakenMessage extends CausedMessage {
  /** This one included. */
  attempts: number;
  /** How long it had waited when this attempt began, by the database's clock. */
  ageSeconds: number;
  /** 0: its touchpoint's turn of this round, 1: the turn of the next one, and so on. */
  round: number;
}

export interface StoredMessage extends MessageRow {
  createdAt: Date;
}

export interface QueuedMessage extends StoredMessage {
  state: 'queued' | 'sending' | 'retrying' | 'failed' | 'expired';
  attempts: number;
  /** Why the last attempt failed; null if none failed. */
  reason: string | null;
  dueAt: Date | null;
}

/** The messages of one channel that wait for their first or next attempt. */
export interface WaitingOfChannel {
  channel: Channel;
  count: number;
  /** The age of the oldest; 0 where none waits. */
  oldestSeconds: number;
}

/** Every statement on `message`. */
@Injectable()
export class MessageRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async add(manager: EntityManager, message: NewMessage): Promise<void> {
    const { id, channel, kind, sealed, key, touchpoint, priority, expiresAt } = message;
    await run(
      manager,
      sql`INSERT INTO message (id, channel, kind, sealed, key, touchpoint, priority, expires_at)
        VALUES (${id}, ${channel}, ${kind}, ${sealed}, ${key}, ${touchpoint}, ${priority}, ${expiresAt})`,
    );
  }

  /**
   * Takes up to `count` messages by turns; `served` are the touchpoints that have had theirs. For each touchpoint that
   * waits it reads a few entries of `message_turns_idx`, however long the queue is. Within a round, and within a
   * touchpoint, a higher priority goes first, then what has been due for longest. What is taken is locked in its order, and
   * once: hence `LATERAL` and `MATERIALIZED`.
   */
  async take(channel: Channel, count: number, served: string[]): Promise<TakenMessage[]> {
    const most = count + SPARE_ROWS;
    const waiting = sql`message.channel = ${channel} AND message.due_at IS NOT NULL`;
    const taking = sql`
      WITH RECURSIVE lane AS (
        (SELECT touchpoint, priority FROM message WHERE ${waiting} ORDER BY 1, 2 LIMIT 1)
        UNION ALL
        SELECT further.touchpoint, further.priority FROM lane, LATERAL (
          SELECT touchpoint, priority FROM message
          WHERE ${waiting} AND (message.touchpoint, message.priority) > (lane.touchpoint, lane.priority)
          ORDER BY 1, 2 LIMIT 1
        ) further
      ), due AS (
        SELECT lane.touchpoint, lane.priority, first.id, first.due_at FROM lane, LATERAL (
          SELECT id, due_at FROM message
          WHERE ${waiting} AND message.touchpoint = lane.touchpoint AND message.priority = lane.priority
            AND message.due_at <= now()
          ORDER BY due_at LIMIT ${most}
        ) first
      ), ranked AS (
        SELECT due.*, (touchpoint = ANY(${served}::text[]))::int - 1
          + row_number() OVER (PARTITION BY touchpoint ORDER BY priority DESC, due_at, id) AS round
        FROM due
      ), taken AS MATERIALIZED (
        SELECT free.id, turn.round
        FROM (SELECT * FROM ranked ORDER BY round, priority DESC, due_at, id LIMIT ${most}) turn,
          LATERAL (
            SELECT id FROM message WHERE message.id = turn.id AND message.due_at <= now() FOR UPDATE SKIP LOCKED
          ) free
        LIMIT ${count}
      )
      UPDATE message SET state = 'sending', attempts = attempts + 1, due_at = now() + ${LEASE}
      FROM taken WHERE message.id = taken.id
      RETURNING message.id, channel, kind, sealed, key, touchpoint, expires_at AS "expiresAt", attempts,
        extract(epoch FROM now() - created_at)::float8 AS "ageSeconds", taken.round::int`;
    return (await change<TakenMessage>(this.dataSource, taking)).rows;
  }

  /** Sent: deleted, even if another process has the message by now. */
  async remove(id: string): Promise<void> {
    await run(this.dataSource, sql`DELETE FROM message WHERE id = ${id} AND state IN ('sending', 'retrying')`);
  }

  /**
   * Makes it due again after half to all of `seconds`, so that messages that failed together are not tried together.
   * Leaves a message that another process has taken since: its attempts differ.
   */
  async retry({ id, attempts }: TakenMessage, seconds: number, reason: string): Promise<void> {
    await run(
      this.dataSource,
      sql`UPDATE message SET state = 'retrying', reason = ${reason},
          due_at = now() + ${seconds}::float8 * (0.5 + random() / 2) * interval '1 second'
        WHERE id = ${id} AND state = 'sending' AND attempts = ${attempts}`,
    );
  }

  /** It will never be sent; false if another process has settled or taken the message since. */
  async end(
    manager: EntityManager,
    { id, attempts }: TakenMessage,
    state: 'failed' | 'expired',
    reason: string,
  ): Promise<boolean> {
    const { count } = await change(
      manager,
      sql`UPDATE message SET state = ${state}, reason = ${reason}, due_at = NULL,
          kept_until = now() + ${state === 'failed' ? FAILED_STAY : EXPIRED_STAY}
        WHERE id = ${id} AND state = 'sending' AND attempts = ${attempts}`,
    );
    return count === 1;
  }

  async list(): Promise<QueuedMessage[]> {
    return run<QueuedMessage>(this.dataSource, sql`SELECT ${QUEUED} FROM message`);
  }

  /** In the order of their ids, which is that of time. */
  async page(after: string = NIL_ID, limit: number): Promise<QueuedMessage[]> {
    return run<QueuedMessage>(
      this.dataSource,
      sql`SELECT ${QUEUED} FROM message WHERE id > ${after} ORDER BY id LIMIT ${limit}`,
    );
  }

  /** All stored messages, a page at a time. */
  async *pages(manager: EntityManager): AsyncGenerator<StoredMessage[]> {
    let rows: StoredMessage[] = [];
    do {
      rows = await run<StoredMessage>(
        manager,
        sql`SELECT id, channel, kind, sealed, key, created_at AS "createdAt" FROM message
          WHERE id > ${rows.at(-1)?.id ?? NIL_ID} ORDER BY id LIMIT ${PAGE_ROWS}`,
      );
      yield rows;
    } while (rows.length === PAGE_ROWS);
  }

  /** Due again at once, as if it had never been tried; null unless it waits for an attempt or was given up. */
  async requeue(manager: EntityManager, id: string): Promise<Pick<MessageRow, 'channel' | 'kind'> | null> {
    const { rows } = await change<Pick<MessageRow, 'channel' | 'kind'>>(
      manager,
      sql`UPDATE message SET state = 'queued', attempts = 0, reason = NULL, due_at = now(), kept_until = NULL
        WHERE id = ${id} AND state IN ('retrying', 'failed') RETURNING channel, kind`,
    );
    return rows[0] ?? null;
  }

  /** Null if there is none, or it is being sent. */
  async discard(manager: EntityManager, id: string): Promise<Pick<MessageRow, 'channel' | 'kind'> | null> {
    const { rows } = await change<Pick<MessageRow, 'channel' | 'kind'>>(
      manager,
      sql`DELETE FROM message WHERE id = ${id} AND state <> 'sending' RETURNING channel, kind`,
    );
    return rows[0] ?? null;
  }

  /** In any state; answers how many there were, and how many of them were being sent. */
  async removeAll(manager: EntityManager, ids: string[]): Promise<{ removed: number; inDelivery: number }> {
    const { rows } = await change<{ state: string }>(
      manager,
      sql`DELETE FROM message WHERE id = ANY(${ids}::uuid[]) RETURNING state`,
    );
    return { removed: rows.length, inDelivery: rows.filter(({ state }) => state === 'sending').length };
  }

  /** A channel without waiting messages is left out. Reads little but what waits. */
  async countWaiting(): Promise<WaitingOfChannel[]> {
    return this.dataSource.query<WaitingOfChannel[]>(
      `SELECT channel, count(*)::int AS count, extract(epoch FROM now() - min(created_at))::float8 AS "oldestSeconds"
       FROM message WHERE due_at IS NOT NULL AND (state <> 'sending' OR due_at <= now()) GROUP BY channel`,
    );
  }

  /** Of those given up at most so many. Reads little but what waits and what is kept. */
  async countTroubled(most: number): Promise<{ retried: number; givenUp: number }> {
    const [counted] = await run<{ retried: number; givenUp: number }>(
      this.dataSource,
      sql`SELECT
          (SELECT count(*)::int FROM message WHERE due_at IS NOT NULL AND state = 'retrying') AS retried,
          (SELECT count(*)::int FROM (
            SELECT FROM message WHERE kept_until IS NOT NULL AND state = 'failed' LIMIT ${most}
          ) kept) AS "givenUp"`,
    );
    if (!counted) throw new Error('The database answered no row');
    return counted;
  }
}
