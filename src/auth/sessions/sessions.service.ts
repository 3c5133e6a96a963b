import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource, EntityManager } from 'typeorm';
import { AppConfig } from '../../platform/config';
import { AuditService, recordedFrom } from '../../audit/audit.service';
import type { Origin } from '../../audit/origin';
import { Clock } from '../../platform/clock';
import { prepared } from '../../platform/database/preparing-client';
import { newId } from '../../platform/random';
import type { Touchpoint } from '../../touchpoints/touchpoint.entity';
import { AccountsService, rememberingAddress } from '../login/accounts.service';
import { clearing, type GuessSettlement, takingBack } from '../login/attempt-counter';
import { CustomerTokens } from './customer-tokens';
import { SessionDto } from './session.dto';
import { Session } from './session.entity';
import type { SessionPrincipal } from './session-principal';

/** A password that has just been verified. */
export interface PasswordLogin {
  consumerId: string;
  credentialVersion: number;
  /** The consumer's network address, when the touchpoint passed it on. */
  address: string | null;
  /** Of the guess that the password was. */
  settlement: GuessSettlement;
}

/** Of the session `s` that a token names, if it is live; `$1` to `$3` are `livenessOf`. */
export const LIVE_SESSION = 's.id = $1 AND s.consumer_id = $2 AND s.revoked_at IS NULL AND s.expires_at > $3';

const IS_LIVE = prepared(`SELECT 1 FROM session s WHERE ${LIVE_SESSION}`);

const OPENED = `opened AS (
    INSERT INTO session (id, consumer_id, touchpoint_id, created_at, expires_at)
    SELECT $1, consumer_id, $2, $3, $4 FROM credential WHERE consumer_id = $5 AND version = $6 FOR SHARE
    RETURNING consumer_id)`;
const OPEN_FOR_PASSWORD = prepared(`WITH ${OPENED}, ${clearing(7)} ${recordedFrom('opened', 8)} RETURNING id`);
const OPEN_FOR_PASSWORD_FROM_ADDRESS = prepared(`WITH ${OPENED}, ${clearing(7)}, ${takingBack(8)},
  ${rememberingAddress('opened', 10)} ${recordedFrom('opened', 12)} RETURNING id`);

/** Opens sessions, tells whether one is live, and ends them; what is ended is dead at its next use on every replica. */
@Injectable()
export class SessionsService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly accounts: AccountsService,
    private readonly tokens: CustomerTokens,
    private readonly audit: AuditService,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  async issue(manager: EntityManager, consumerId: string, touchpoint: Touchpoint): Promise<SessionDto> {
    const session = this.newSession(consumerId, touchpoint);
    await manager.insert(Session, session);
    return this.toDto(session, touchpoint);
  }

  /**
   * Opens a session for a password, or answers null when it has changed since. The shared lock makes a password change
   * wait, so that it ends this session too. The guess is settled in any case.
   */
  async issueForPassword(
    { consumerId, credentialVersion, address, settlement }: PasswordLogin,
    touchpoint: Touchpoint,
    origin: Origin,
  ): Promise<SessionDto | null> {
    const session = this.newSession(consumerId, touchpoint);
    // Before the statement: what fails after it would take the settled guess back once more.
    const dto = this.toDto(session, touchpoint);
    const login = { type: 'consumer.logged-in', consumerId, details: { sessionId: session.id } } as const;
    const opened = [session.id, touchpoint.id, session.createdAt, session.expiresAt, consumerId, credentialVersion];
    const { cleared, takenBack } = settlement;
    const record = this.audit.rowOf(origin, login);
    const inserted =
      address === null
        ? await this.dataSource.query<unknown[]>(OPEN_FOR_PASSWORD, [...opened, cleared, ...record])
        : await this.dataSource.query<unknown[]>(OPEN_FOR_PASSWORD_FROM_ADDRESS, [
            ...[...opened, cleared, ...takenBack],
            ...this.accounts.rememberedAddress(address),
            ...record,
          ]);
    return inserted.length === 0 ? null : dto;
  }

  /** Opens a session for a consumer whom this issuer's assertion stands for. Joins a transaction. */
  async issueForAssertion(
    manager: EntityManager,
    consumerId: string,
    issuer: string,
    touchpoint: Touchpoint,
    origin: Origin,
  ): Promise<SessionDto> {
    const session = this.newSession(consumerId, touchpoint);
    await manager.insert(Session, session);
    const details = { issuer, sessionId: session.id };
    await this.audit.record(manager, origin, { type: 'consumer.identified', consumerId, details });
    return this.toDto(session, touchpoint);
  }

  async isLive(customer: SessionPrincipal): Promise<boolean> {
    const rows = await this.dataSource.query<unknown[]>(IS_LIVE, this.livenessOf(customer));
    return rows.length > 0;
  }

  /** For a statement that reads something of the consumer while the session is live. */
  livenessOf({ consumerId, sessionId }: SessionPrincipal): unknown[] {
    return [sessionId, consumerId, this.clock.now()];
  }

  /** Ends the session that the consumer logs out of. */
  async end({ consumerId, sessionId }: SessionPrincipal, origin: Origin): Promise<void> {
    const logout = { type: 'consumer.logged-out', consumerId, details: { sessionId } } as const;
    await this.dataSource.query(
      `WITH ended AS (UPDATE session SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL RETURNING id)
       ${recordedFrom('ended', 3)}`,
      [sessionId, this.clock.now(), ...this.audit.rowOf(origin, logout)],
    );
  }

  /** Ends every other session of the consumer. */
  async revokeOthers(manager: EntityManager, { consumerId, sessionId }: SessionPrincipal): Promise<void> {
    await manager.query(
      'UPDATE session SET revoked_at = $3 WHERE consumer_id = $1 AND id <> $2 AND revoked_at IS NULL',
      [consumerId, sessionId, this.clock.now()],
    );
  }

  private newSession(consumerId: string, touchpoint: Touchpoint): Session {
    // Whole seconds, as the token's claims have them.
    const createdAt = new Date(Math.floor(this.clock.epochMs() / 1000) * 1000);
    const expiresAt = new Date(createdAt.getTime() + this.config.jwtTtlSeconds * 1000);
    return { id: newId(), consumerId, touchpointId: touchpoint.id, createdAt, expiresAt, revokedAt: null };
  }

  private toDto(session: Session, touchpoint: Touchpoint): SessionDto {
    return { customerId: session.consumerId, token: this.tokens.issue(session, touchpoint.code) };
  }
}
