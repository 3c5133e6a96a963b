import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppConfig } from '../../platform/config';
import { AuditService } from '../../audit/audit.service';
import type { Origin } from '../../audit/origin';
import { Clock } from '../../platform/clock';
import { newId } from '../../platform/random';
import type { Touchpoint } from '../../touchpoints/touchpoint.entity';
import type { Caller, SignedInCaller } from './caller';
import { CustomerTokens } from './tokens/customer-tokens';
import { sessionEnded } from './tokens/invalid-token';
import { SessionDto } from './session.dto';
import type { Session } from './session.entity';
import { SessionRepository } from './session.repository';
import type { SessionPrincipal } from './session-principal';

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

/** A session that is still to be stored, and how it is answered. */
export interface PreparedSession {
  session: Session;
  dto: SessionDto;
}

/** Opens sessions, checks them and ends them; an ended one is refused at its next use on every replica. */
@Injectable()
export class SessionsService {
  constructor(
    private readonly sessions: SessionRepository,
    private readonly tokens: CustomerTokens,
    private readonly audit: AuditService,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  /**
   * A session for a caller that stores it together with something else; the token is signed before anything is written.
   */
  prepare(consumerId: string, touchpoint: Touchpoint): PreparedSession {
    // Whole seconds, as the token's claims have them.
    const createdAt = new Date(Math.floor(this.clock.epochMs() / 1000) * 1000);
    const expiresAt = new Date(createdAt.getTime() + this.config.jwtTtlSeconds * 1000);
    const session = { id: newId(), consumerId, touchpointId: touchpoint.id, createdAt, expiresAt, revokedAt: null };
    return { session, dto: { customerId: consumerId, token: this.tokens.issue(session, touchpoint.code) } };
  }

  /** Opens a session. Joins a transaction. */
  async issue(manager: EntityManager, consumerId: string, touchpoint: Touchpoint): Promise<SessionDto> {
    const { session, dto } = this.prepare(consumerId, touchpoint);
    await this.sessions.insertSession(manager, session);
    return dto;
  }

  /** Opens a session for a consumer whom this issuer's assertion names. Joins a transaction. */
  async issueForAssertion(
    manager: EntityManager,
    caller: Caller,
    consumerId: string,
    issuer: string,
  ): Promise<SessionDto> {
    const { session, dto } = this.prepare(consumerId, caller.touchpoint);
    await this.sessions.insertSession(manager, session);
    const details = { issuer, sessionId: session.id };
    await this.audit.record(manager, caller.origin, { type: 'consumer.identified', consumerId, details });
    return dto;
  }

  isLive(principal: SessionPrincipal): Promise<boolean> {
    return this.sessions.isLive(principal, this.clock.now());
  }

  /**
   * Takes the lock of `ConsumerRepository.lockConsumerRow` for a consumer who is signed in. Refused (`UNAUTHENTICATED`)
   * when the session has ended, or the consumer has been erased, while the request waited.
   */
  async lockConsumer(manager: EntityManager, principal: SessionPrincipal): Promise<void> {
    const isLive = await this.sessions.lockConsumerOfLiveSession(manager, principal, this.clock.now());
    if (!isLive) throw sessionEnded();
  }

  /** The newest first. */
  async list(manager: EntityManager, consumerId: string): Promise<ListedSession[]> {
    const rows = await this.sessions.findSessionsOf(manager, consumerId);
    const now = this.clock.now();
    return rows.map(({ createdAt, expiresAt, revokedAt, ...session }) => ({
      ...session,
      createdAt: createdAt.toISOString(),
      expiresAt: expiresAt.toISOString(),
      endedAt: revokedAt?.toISOString() ?? null,
      isLive: revokedAt === null && expiresAt > now,
    }));
  }

  /** Ends the session that the consumer logs out of. */
  async end({ session, origin }: SignedInCaller): Promise<void> {
    const { consumerId, sessionId } = session;
    const logout = { type: 'consumer.logged-out', consumerId, details: { sessionId } } as const;
    await this.sessions.endSession(sessionId, this.clock.now(), this.audit.rowOf(origin, logout));
  }

  /** Ends every other session of the consumer. */
  async revokeOthers(manager: EntityManager, kept: SessionPrincipal): Promise<void> {
    await this.sessions.revokeOtherSessions(manager, kept, this.clock.now());
  }

  /** Ends every live session; answers how many. */
  async revokeAll(manager: EntityManager, consumerId: string, origin: Origin): Promise<number> {
    const count = await this.sessions.revokeAllSessions(manager, consumerId, this.clock.now());
    await this.audit.record(manager, origin, { type: 'sessions.revoked', consumerId, details: { count } });
    return count;
  }
}
