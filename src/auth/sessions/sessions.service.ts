import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import type { EntityManager } from 'typeorm';
import { AppConfig } from '../../platform/settings/config';
import { AuditService } from '../../audit/audit.service';
import type { Origin } from '../../audit/origin';
import { EventLog } from '../../events/log/event-log';
import type { PendingEvent } from '../../events/log/pending-event.repository';
import { Clock } from '../../platform/clock';
import { ApiError } from '../../platform/errors/api-error';
import { newId } from '../../platform/random';
import type { Touchpoint } from '../../touchpoints/touchpoint.entity';
import type { Caller, SignedInCaller } from './caller';
import { CustomerTokens } from './tokens/customer-tokens';
import { invalidToken, sessionEnded } from './tokens/invalid-token';
import type { LiveSessionDto, SessionDto } from './session.dto';
import type { Session } from './session.entity';
import { type SessionEnding } from '../../events/log/pending-event.repository';
import { SessionRepository, type SessionRow } from './session.repository';
import type { SessionPrincipal } from './session-principal';

/** More live sessions than a person has. */
const MAX_LISTED = 1_000;

/** A session as an administrator sees it; once it has expired it is kept for some minutes only. */
export interface ListedSession {
  sessionId: string;
  /** The code of the touchpoint where it began. */
  touchpoint: string;
  createdAt: string;
  /** It may lag five minutes. */
  lastUsedAt: string;
  /** When it ends, or ended, if it is not used again. */
  expiresAt: string;
  /** When it was ended before it expired, or null. */
  endedAt: string | null;
  isLive: boolean;
}

/** A session that is still to be stored, and how it is answered. */
export interface PreparedSession {
  session: Session;
  /** The event for subscribers. */
  started: PendingEvent;
  dto: SessionDto;
}

/** Opens sessions, checks them and ends them; an ended one is refused at its next use on every replica. */
@Injectable()
export class SessionsService {
  constructor(
    private readonly sessions: SessionRepository,
    private readonly tokens: CustomerTokens,
    private readonly audit: AuditService,
    private readonly events: EventLog,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  /** A session for a caller that stores it with something else; the token is signed before anything is written. */
  prepare(consumerId: string, touchpoint: Touchpoint): PreparedSession {
    const createdAt = this.wholeSeconds();
    const { tokenEnd, sessionEnd } = this.ends(createdAt, createdAt, touchpoint);
    const session = {
      ...{ id: newId(), consumerId, touchpointId: touchpoint.id, createdAt, expiresAt: sessionEnd },
      ...{ revokedAt: null, lastUsedAt: null, idleSeconds: touchpoint.sessionIdleSeconds },
    };
    const token = this.tokens.issue(session, touchpoint.code, { issuedAt: createdAt, expiresAt: tokenEnd });
    const data = { sessionId: session.id };
    const started = this.events.rowOf({ touchpoint: touchpoint.code }, { type: 'session.started', consumerId, data });
    return { session, started, dto: { customerId: consumerId, token } };
  }

  /** A new token of the caller's session. Writes nothing if the stored session lasts as long as the token. */
  async extend({ touchpoint, session: principal }: SignedInCaller): Promise<SessionDto> {
    const now = this.clock.now();
    const session = await this.sessions.findLive(principal, now);
    if (!session) throw sessionEnded();
    if (session.touchpointId !== touchpoint.id) throw invalidToken('the session began at another touchpoint');
    if (touchpoint.sessionMaxSeconds === null) throw new ApiError('SESSION_EXTENSION_NOT_ALLOWED');
    const issuedAt = this.wholeSeconds();
    const { tokenEnd, sessionEnd } = this.ends(session.createdAt, issuedAt, touchpoint);
    if (tokenEnd <= now) throw sessionEnded();
    if (session.expiresAt < tokenEnd) {
      await this.sessions.extendSession(session.id, sessionEnd, touchpoint.sessionIdleSeconds, now);
    }
    const token = this.tokens.issue(session, touchpoint.code, { issuedAt, expiresAt: tokenEnd });
    return { customerId: session.consumerId, token };
  }

  /** Opens a session. Joins a transaction. */
  async issue(manager: EntityManager, consumerId: string, touchpoint: Touchpoint): Promise<SessionDto> {
    const { session, started, dto } = this.prepare(consumerId, touchpoint);
    await this.sessions.insertSession(manager, session, started);
    return dto;
  }

  /** Opens a session for a consumer whom this issuer's assertion names. Joins a transaction. */
  async issueForAssertion(
    manager: EntityManager,
    caller: Caller,
    consumerId: string,
    issuer: string,
  ): Promise<SessionDto> {
    const { session, started, dto } = this.prepare(consumerId, caller.touchpoint);
    await this.sessions.insertSession(manager, session, started);
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
    const rows = await this.sessions.findSessionsOf(manager, consumerId, this.clock.now());
    return rows.map((row) => ({
      sessionId: row.sessionId,
      touchpoint: row.touchpoint,
      createdAt: row.createdAt.toISOString(),
      lastUsedAt: row.lastUsedAt.toISOString(),
      expiresAt: this.endIfUnused(row).toISOString(),
      endedAt: row.revokedAt?.toISOString() ?? null,
      isLive: row.isLive,
    }));
  }

  /** What the consumer sees: live sessions, the newest first. */
  async listLive({ session: { consumerId, sessionId } }: SignedInCaller): Promise<LiveSessionDto[]> {
    const now = this.clock.now();
    const rows = await this.sessions.findLiveSessionsOf(consumerId, now, MAX_LISTED);
    return rows.map((row) => {
      const current = row.sessionId === sessionId;
      const lastUsedAt = current ? now : row.lastUsedAt;
      return {
        sessionId: row.sessionId,
        touchpoint: row.touchpoint,
        createdAt: row.createdAt.toISOString(),
        lastUsedAt: lastUsedAt.toISOString(),
        expiresAt: this.endIfUnused({ ...row, lastUsedAt }).toISOString(),
        current,
      };
    });
  }

  /** Ends the session that the consumer logs out of. */
  async end({ session, origin }: SignedInCaller): Promise<void> {
    const { consumerId, sessionId } = session;
    const logout = { type: 'consumer.logged-out', consumerId, details: { sessionId } } as const;
    const ending = this.endingOf(origin, consumerId);
    await this.sessions.endSession(session, ending, this.audit.rowOf(origin, logout));
  }

  /** Ends one session of the consumer, this one or another; refused (`NOT_FOUND`) when the consumer has no such session. */
  async endOne({ session: { consumerId }, origin }: SignedInCaller, sessionId: string): Promise<void> {
    if (!(await this.endOf(consumerId, sessionId, origin))) throw new ApiError('NOT_FOUND');
  }

  /** False when the consumer has no such session. */
  async endOf(consumerId: string, sessionId: string, origin: Origin): Promise<boolean> {
    if (!isUUID(sessionId)) return false;
    const ended = { type: 'session.ended', consumerId, details: { sessionId } } as const;
    const ending = this.endingOf(origin, consumerId);
    return this.sessions.endSession({ consumerId, sessionId }, ending, this.audit.rowOf(origin, ended));
  }

  /** Ends every other session of the consumer. */
  async revokeOthers(manager: EntityManager, kept: SessionPrincipal, origin: Origin): Promise<void> {
    await this.sessions.revokeSessions(manager, this.endingOf(origin, kept.consumerId), kept.sessionId);
  }

  /** Ends every live session; answers how many. */
  async revokeAll(manager: EntityManager, consumerId: string, origin: Origin): Promise<number> {
    const count = await this.sessions.revokeSessions(manager, this.endingOf(origin, consumerId));
    await this.audit.record(manager, origin, { type: 'sessions.revoked', consumerId, details: { count } });
    return count;
  }

  /** Ends and deletes all sessions of the consumer; answers how many there were, live or not. */
  async deleteAll(manager: EntityManager, consumerId: string, origin: Origin): Promise<number> {
    await this.sessions.revokeSessions(manager, this.endingOf(origin, consumerId));
    return this.sessions.deleteSessionsOf(manager, consumerId);
  }

  private endingOf({ touchpoint }: Origin, consumerId: string): SessionEnding {
    return { occurredAt: this.clock.now(), consumerId, touchpoint: touchpoint ?? null };
  }

  /** As the claims of a token have it. */
  private wholeSeconds(): Date {
    return new Date(Math.floor(this.clock.epochMs() / 1000) * 1000);
  }

  /**
   * When a token that is issued now ends, and when its session ends: half a token's life later, so that extensions
   * until then write nothing.
   */
  private ends(createdAt: Date, issuedAt: Date, { sessionMaxSeconds }: Touchpoint) {
    const { jwtTtlSeconds } = this.config;
    const most = secondsAfter(createdAt, sessionMaxSeconds ?? jwtTtlSeconds);
    return {
      tokenEnd: earliest(secondsAfter(issuedAt, jwtTtlSeconds), most),
      sessionEnd: earliest(secondsAfter(issuedAt, jwtTtlSeconds * 1.5), most),
    };
  }

  /** No token is newer than the last use. */
  private endIfUnused({ expiresAt, lastUsedAt, idleSeconds }: SessionRow): Date {
    const tokenEnd = secondsAfter(lastUsedAt, this.config.jwtTtlSeconds);
    const idleEnd = idleSeconds === null ? tokenEnd : secondsAfter(lastUsedAt, idleSeconds);
    return earliest(expiresAt, earliest(tokenEnd, idleEnd));
  }
}

const secondsAfter = (time: Date, seconds: number): Date => new Date(time.getTime() + seconds * 1000);

const earliest = (a: Date, b: Date): Date => (a < b ? a : b);
