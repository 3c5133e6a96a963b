import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import sql, { type Sql } from 'sql-template-tag';
import { type DataSource, type EntityManager, IsNull, MoreThan } from 'typeorm';
import type { AuditEvent } from '../../audit/audit-event.entity';
import { recordedFrom } from '../../audit/audit-event.repository';
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
const isOpen = (now: Date): Sql =>
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

  async insertSession(manager: EntityManager, session: Session): Promise<void> {
    await manager.insert(Session, session);
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

  /** Lets the session last until `expiresAt`, if it is open and would end sooner; an extension is a use. */
  async extendSession(sessionId: string, expiresAt: Date, idleSeconds: number | null, now: Date): Promise<void> {
    await run(
      this.dataSource,
      sql`UPDATE ${SESSION} SET expires_at = ${expiresAt}, idle_seconds = ${idleSeconds}, last_used_at = ${now}
        WHERE s.id = ${sessionId} AND s.expires_at < ${expiresAt} AND ${isOpen(now)}`,
    );
  }

  /** Skips sessions that have ended, whose recorded use is recent, or that somebody else is changing. */
  async recordUse(sessionIds: string[], usedAt: Date): Promise<void> {
    await run(
      this.dataSource,
      sql`UPDATE session SET last_used_at = ${usedAt} WHERE id = ANY(ARRAY(
        SELECT s.id FROM ${SESSION} WHERE s.id = ANY(${sessionIds}::uuid[]) AND ${isOpen(usedAt)}
          AND ${LAST_USED_AT} <= ${usedAt}::timestamptz - ${RESOLUTION} FOR NO KEY UPDATE SKIP LOCKED))`,
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
  async endSession({ consumerId, sessionId }: SessionKey, now: Date, record: AuditEvent): Promise<boolean> {
    const [found] = await run<{ found: boolean }>(
      this.dataSource,
      sql`WITH ended AS (
          UPDATE session SET revoked_at = ${now}
          WHERE id = ${sessionId} AND consumer_id = ${consumerId} AND revoked_at IS NULL RETURNING id),
        recorded AS (${recordedFrom('ended', record)})
        SELECT EXISTS (SELECT 1 FROM session WHERE id = ${sessionId} AND consumer_id = ${consumerId}) AS found`,
    );
    return found?.found ?? false;
  }

  async revokeOtherSessions(manager: EntityManager, kept: SessionPrincipal, now: Date): Promise<void> {
    const { consumerId, sessionId } = kept;
    await run(
      manager,
      sql`UPDATE session SET revoked_at = ${now}
        WHERE consumer_id = ${consumerId} AND id <> ${sessionId} AND revoked_at IS NULL`,
    );
  }

  /** Ends every live session of the consumer; answers how many. */
  async revokeAllSessions(manager: EntityManager, consumerId: string, now: Date): Promise<number> {
    const live = { consumerId, revokedAt: IsNull(), expiresAt: MoreThan(now) };
    return (await manager.update(Session, live, { revokedAt: now })).affected ?? 0;
  }

  /** All sessions of the consumer, live or not; answers how many. */
  deleteSessionsOf(manager: EntityManager, consumerId: string): Promise<number> {
    return deleteInBatches(manager, 'session', 'consumer_id', consumerId);
  }
}
