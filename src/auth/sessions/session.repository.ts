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

/** Whether the session `s` of the consumer `c` is that of a token, and live. */
export const isLiveSession = ({ consumerId, sessionId }: SessionPrincipal, now: Date): Sql =>
  sql`s.id = ${sessionId} AND s.consumer_id = ${consumerId} AND s.revoked_at IS NULL AND s.expires_at > ${now}
    AND ${IS_ENABLED}`;

/** Inserts a session of the consumer whom `holder` selects as `consumer_id`, and returns that. */
export const newSessionOf = (holder: Sql, { id, touchpointId, createdAt, expiresAt }: Session): Sql =>
  sql`INSERT INTO session (id, consumer_id, touchpoint_id, created_at, expires_at)
    SELECT ${id}::uuid, holder.consumer_id, ${touchpointId}::uuid, ${createdAt}::timestamptz, ${expiresAt}::timestamptz
    FROM (${holder}) AS holder RETURNING consumer_id`;

export interface SessionRow {
  sessionId: string;
  /** The code of the touchpoint where it began. */
  touchpoint: string;
  createdAt: Date;
  expiresAt: Date;
  revokedAt: Date | null;
}

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

  /** All sessions of the consumer, live or not, the newest first. */
  findSessionsOf(manager: EntityManager, consumerId: string): Promise<SessionRow[]> {
    return run<SessionRow>(
      manager,
      sql`SELECT s.id AS "sessionId", t.code AS touchpoint, s.created_at AS "createdAt", s.expires_at AS "expiresAt",
          s.revoked_at AS "revokedAt"
        FROM ${SESSION} JOIN ${TOUCHPOINT} ON t.id = s.touchpoint_id
        WHERE s.consumer_id = ${consumerId} ORDER BY s.created_at DESC, s.id DESC`,
    );
  }

  /** Ends one session and records it, unless it has ended already. */
  async endSession(sessionId: string, now: Date, record: AuditEvent): Promise<void> {
    await run(
      this.dataSource,
      sql`WITH ended AS (
          UPDATE session SET revoked_at = ${now} WHERE id = ${sessionId} AND revoked_at IS NULL RETURNING id)
        ${recordedFrom('ended', record)}`,
    );
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
