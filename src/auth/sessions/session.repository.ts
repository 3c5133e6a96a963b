import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import sql, { type Sql } from 'sql-template-tag';
import type { DataSource, EntityManager } from 'typeorm';
import type { AuditEvent } from '../../audit/audit-event';
import { recordedFrom } from '../../audit/audit-event.repository';
import {
  endedFrom,
  type PendingEvent,
  type SessionEnding,
  startedFrom,
} from '../../events/log/pending-event.repository';
import { deleteInBatches } from '../../platform/database/batches';
import { run, runPrepared } from '../../platform/database/statement';
import { CONSUMER, IS_ENABLED } from '../../profiles/consumer.repository';
import { TOUCHPOINT } from '../../touchpoints/touchpoint.repository';
import { Session } from './session.entity';
import type { SessionPrincipal } from './session-principal';

/** For the `FROM` or `JOIN` of another owner's statement. */
export const SESSION = sql`session s`;

const LAST_USED_AT = sql`COALESCE(s.last_used_at, s.created_at)`;
const IDLE_END = sql`${LAST_USED_AT} + s.idle_seconds * interval '1 second'`;

/** How far the recorded last use may lag: little enough that an idle session ends on time, within a fifth. */
const RESOLUTION = sql`LEAST(180, s.idle_seconds / 5) * interval '1 second'`;

/** Whether the session `s` has neither been ended, nor expired, nor been unused for too long. */
const isOpen = (now: Date | Sql): Sql =>
  sql`s.revoked_at IS NULL AND s.expires_at > ${now} AND (s.idle_seconds IS NULL OR ${IDLE_END} > ${now})`;

/** Whether the session `s` of the consumer `c` is that of a token, and live. */
export const isLiveSession = ({ consumerId, sessionId }: SessionPrincipal, now: Date): Sql =>
  sql`s.id = ${sessionId} AND s.consumer_id = ${consumerId} AND ${isOpen(now)} AND ${IS_ENABLED}`;

/** Inserts a session of the consumer whom `holder` selects as `consumer_id`, and returns that. */
export const newSessionOf = (holder: Sql, session: Session): Sql => {
  const { id, touchpointId, createdAt, expiresAt, idleSeconds } = session;
  return sql`INSERT INTO session (id, consumer_id, touchpoint_id, created_at, expires_at, idle_seconds)
    SELECT ${id}::uuid, holder.consumer_id, ${touchpointId}::uuid, ${createdAt}::timestamptz, ${expiresAt}::timestamptz,
      ${idleSeconds}::integer
    FROM (${holder}) AS holder RETURNING consumer_id`;
};

type SessionKey = Pick<SessionPrincipal, 'consumerId' | 'sessionId'>;

export interface SessionRow {
  sessionId: string;
  /** The code of the touchpoint where it began. */
  touchpoint: string;
  createdAt: Date;
  lastUsedAt: Date;
  expiresAt: Date;
  idleSeconds: number | null;
  revokedAt: Date | null;
  isLive: boolean;
}

/** What an extension reads and changes. */
export type ExtensibleSession = Pick<
  Session,
  'id' | 'consumerId' | 'touchpointId' | 'createdAt' | 'expiresAt' | 'idleSeconds'
>;

const sessionsOf = (consumerId: string, now: Date): Sql =>
  sql`SELECT s.id AS "sessionId", t.code AS touchpoint, s.created_at AS "createdAt", ${LAST_USED_AT} AS "lastUsedAt",
      s.expires_at AS "expiresAt", s.idle_seconds AS "idleSeconds", s.revoked_at AS "revokedAt",
      ${isOpen(now)} AS "isLive"
    FROM ${SESSION} JOIN ${TOUCHPOINT} ON t.id = s.touchpoint_id WHERE s.consumer_id = ${consumerId}`;
const NEWEST_FIRST = sql`ORDER BY s.created_at DESC, s.id DESC`;

/** Every statement on `session`. */
@Injectable()
export class SessionRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** The same statement writes the event for subscribers. */
  async insertSession(manager: EntityManager, session: Session, started: PendingEvent): Promise<void> {
    const holder = sql`SELECT ${session.consumerId}::uuid AS consumer_id`;
    await run(manager, sql`WITH opened AS (${newSessionOf(holder, session)}) ${startedFrom('opened', started)}`);
  }

  async isLive(principal: SessionPrincipal, now: Date): Promise<boolean> {
    const live = await runPrepared(
      this.dataSource,
      sql`SELECT 1 FROM ${SESSION} JOIN ${CONSUMER} ON c.id = s.consumer_id WHERE ${isLiveSession(principal, now)}`,
    );
    return live.length > 0;
  }

  /** Locks the consumer and the session of the token; false unless it is live. */
  async lockConsumerOfLiveSession(manager: EntityManager, principal: SessionPrincipal, now: Date): Promise<boolean> {
    const locked = await run(
      manager,
      sql`SELECT 1 FROM ${SESSION} JOIN ${CONSUMER} ON c.id = s.consumer_id
        WHERE ${isLiveSession(principal, now)} FOR NO KEY UPDATE OF c FOR SHARE OF s`,
    );
    return locked.length > 0;
  }

  /** Null unless it is live. */
  async findLive(principal: SessionPrincipal, now: Date): Promise<ExtensibleSession | null> {
    const [session] = await runPrepared<ExtensibleSession>(
      this.dataSource,
      sql`SELECT s.id, s.consumer_id AS "consumerId", s.touchpoint_id AS "touchpointId", s.created_at AS "createdAt",
          s.expires_at AS "expiresAt", s.idle_seconds AS "idleSeconds"
        FROM ${SESSION} JOIN ${CONSUMER} ON c.id = s.consumer_id WHERE ${isLiveSession(principal, now)}`,
    );
    return session ?? null;
  }

  /** Moves the end of an open session to `expiresAt`, if that is later; an extension is a use. */
  async extendSession(sessionId: string, expiresAt: Date, idleSeconds: number | null, now: Date): Promise<void> {
    await run(
      this.dataSource,
      sql`UPDATE ${SESSION} SET expires_at = ${expiresAt}, idle_seconds = ${idleSeconds}, last_used_at = ${now}
        WHERE s.id = ${sessionId} AND s.expires_at < ${expiresAt} AND ${isOpen(now)}`,
    );
  }

  /** Skips sessions that have ended, whose recorded use is recent, or that somebody else is changing. */
  async recordUse(uses: [sessionId: string, usedAt: Date][]): Promise<void> {
    const [ids, times] = [uses.map(([id]) => id), uses.map(([, usedAt]) => usedAt)];
    await run(
      this.dataSource,
      sql`UPDATE session SET last_used_at = used.at FROM (
          SELECT s.id, noted.at FROM unnest(${ids}::uuid[], ${times}::timestamptz[]) AS noted (id, at)
          JOIN ${SESSION} ON s.id = noted.id
          WHERE ${isOpen(sql`noted.at`)} AND ${LAST_USED_AT} <= noted.at - ${RESOLUTION}
          FOR NO KEY UPDATE OF s SKIP LOCKED) AS used
        WHERE session.id = used.id`,
    );
  }

  /** All sessions of the consumer, live or not, the newest first. */
  findSessionsOf(manager: EntityManager, consumerId: string, now: Date): Promise<SessionRow[]> {
    return run<SessionRow>(manager, sql`${sessionsOf(consumerId, now)} ${NEWEST_FIRST}`);
  }

  /** The newest live sessions of the consumer. */
  findLiveSessionsOf(consumerId: string, now: Date, limit: number): Promise<SessionRow[]> {
    return run<SessionRow>(
      this.dataSource,
      sql`${sessionsOf(consumerId, now)} AND ${isOpen(now)} ${NEWEST_FIRST} LIMIT ${limit}`,
    );
  }

  /** Ends one session of the consumer and records it, unless it has ended already; false if there is none. */
  async endSession({ consumerId, sessionId }: SessionKey, ending: SessionEnding, record: AuditEvent): Promise<boolean> {
    const [found] = await run<{ found: boolean }>(
      this.dataSource,
      sql`WITH ended AS (
          UPDATE ${SESSION} SET revoked_at = ${ending.occurredAt}
          WHERE s.id = ${sessionId} AND s.consumer_id = ${consumerId} AND ${isOpen(ending.occurredAt)} RETURNING s.id),
        told AS (${endedFrom('ended', ending)}),
        recorded AS (${recordedFrom('ended', record)})
        SELECT EXISTS (SELECT 1 FROM session WHERE id = ${sessionId} AND consumer_id = ${consumerId}) AS found`,
    );
    return found?.found ?? false;
  }

  /** Ends every live session of the consumer, except `kept`; answers how many. */
  async revokeSessions(manager: EntityManager, ending: SessionEnding, kept: string | null = null): Promise<number> {
    const { consumerId, occurredAt: now } = ending;
    const [row] = await run<{ count: number }>(
      manager,
      sql`WITH ended AS (
          UPDATE ${SESSION} SET revoked_at = ${now}
          WHERE s.consumer_id = ${consumerId} AND ${isOpen(now)} AND s.id IS DISTINCT FROM ${kept}::uuid RETURNING s.id),
        told AS (${endedFrom('ended', ending)})
        SELECT count(*)::integer AS count FROM ended`,
    );
    return row?.count ?? 0;
  }

  /** All sessions of the consumer, live or not; answers how many. */
  deleteSessionsOf(manager: EntityManager, consumerId: string): Promise<number> {
    return deleteInBatches(manager, 'session', 'consumer_id', consumerId);
  }
}
