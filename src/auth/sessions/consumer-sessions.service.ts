import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../../audit/audit.service';
import type { Origin } from '../../audit/origin';
import { Clock } from '../../platform/clock';

/** A session as an administrator sees it; once it has expired it is kept for some minutes only. */
export interface ListedSession {
  sessionId: string;
  /** The code of the touchpoint where it began. */
  touchpoint: string;
  createdAt: string;
  expiresAt: string;
  /** When it was ended before it expired, or null. */
  endedAt: string | null;
  isLive: boolean;
}

interface SessionRow {
  sessionId: string;
  touchpoint: string;
  createdAt: Date;
  expiresAt: Date;
  revokedAt: Date | null;
}

/** Looks at all sessions of one consumer, and ends them. */
@Injectable()
export class ConsumerSessions {
  constructor(
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /** The newest first. */
  async list(manager: EntityManager, consumerId: string): Promise<ListedSession[]> {
    const rows = await manager.query<SessionRow[]>(
      `SELECT s.id AS "sessionId", t.code AS touchpoint, s.created_at AS "createdAt", s.expires_at AS "expiresAt",
         s.revoked_at AS "revokedAt"
       FROM session s JOIN touchpoint t ON t.id = s.touchpoint_id
       WHERE s.consumer_id = $1 ORDER BY s.created_at DESC, s.id DESC`,
      [consumerId],
    );
    const now = this.clock.now();
    return rows.map(({ createdAt, expiresAt, revokedAt, ...session }) => ({
      ...session,
      createdAt: createdAt.toISOString(),
      expiresAt: expiresAt.toISOString(),
      endedAt: revokedAt?.toISOString() ?? null,
      isLive: revokedAt === null && expiresAt > now,
    }));
  }

  /** Ends every live session; answers how many. */
  async revokeAll(manager: EntityManager, consumerId: string, origin: Origin): Promise<number> {
    const [, count] = await manager.query<[unknown[], number]>(
      'UPDATE session SET revoked_at = $2 WHERE consumer_id = $1 AND revoked_at IS NULL AND expires_at > $2',
      [consumerId, this.clock.now()],
    );
    await this.audit.record(manager, origin, { type: 'sessions.revoked', consumerId, details: { count } });
    return count;
  }
}
