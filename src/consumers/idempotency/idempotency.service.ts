import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource, EntityManager } from 'typeorm';
import { AuditService } from '../../audit/audit.service';
import type { Caller } from '../../auth/sessions/caller';
import type { SessionDto } from '../../auth/sessions/session.dto';
import { consumerDisabled, invalidCredentials } from '../../auth/login/invalid-credentials';
import { SessionsService } from '../../auth/sessions/sessions.service';
import { DatabaseUnavailable } from '../../platform/database/connection/database-errors';
import { ApiError, validationFailed } from '../../platform/errors/api-error';
import { canonicalJson } from '../../platform/http/canonical-json';
import { newId } from '../../platform/random';
import { ConsumerRepository } from '../../profiles/consumer.repository';
import type { Touchpoint } from '../../touchpoints/touchpoint.entity';
import { IdempotencyRecordRepository, type KeyedRequest, type KnownRequest } from './idempotency-record.repository';
import type { IdempotentOperation, Lease } from './lease';
import { LeaseRelease } from './lease-release';
import type { Outcome } from './outcome';

/** Keeps the outcomes of requests with an `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header) for their retries. */
@Injectable()
export class IdempotencyService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly records: IdempotencyRecordRepository,
    private readonly leases: LeaseRelease,
    private readonly consumers: ConsumerRepository,
    private readonly sessions: SessionsService,
    private readonly audit: AuditService,
  ) {}

  /** What identifies a request with a key. */
  keyed({ id: touchpointId }: Touchpoint, operation: IdempotentOperation, key: string, body: object): KeyedRequest {
    return { touchpointId, key, content: `${operation}\n${canonicalJson(body)}` };
  }

  /** Takes the key for a request that begins, and answers its lease; null when another request holds the key. */
  async begin(request: KeyedRequest): Promise<string | null> {
    const lease = newId();
    try {
      return (await this.records.beginLease(lease, request)) ? lease : null;
    } catch (error) {
      // The database may have taken the key although its answer was lost.
      if (!(error instanceof DatabaseUnavailable)) this.leases.freeSoon(lease);
      throw error;
    }
  }

  /** The earlier request with the same key and body; refused when there is none, or when it is still running. */
  async find(request: KeyedRequest): Promise<KnownRequest> {
    const known = await this.records.findKnownRequest(request);
    if (!known) throw inProgress('the key has just become free');
    if (!known.isSame) throw new ApiError('IDEMPOTENCY_KEY_REUSED');
    if (!known.outcome) throw inProgress('the first request is running');
    return known;
  }

  /** The outcome of an earlier request again: a session with a new token for the same consumer, unless it has ended. */
  async replay(caller: Caller, operation: IdempotentOperation, { id, outcome }: KnownRequest): Promise<Outcome> {
    if (!outcome) throw inProgress('the first request is running');
    const { status, body } = outcome;
    if (status === 204) return { status, replayed: true };
    return { status, body: body ?? (await this.sessionAgain(caller, operation, id)), replayed: true };
  }

  /** Keeps the outcome in the transaction of the change: both are kept, or neither. */
  async settle(manager: EntityManager, { id, violations }: Lease, outcome: Outcome): Promise<Outcome> {
    if (violations.length > 0) throw validationFailed(violations);
    if (id !== null && !(await this.records.keepOutcome(manager, id, outcome))) throw inProgress('the lease was lost');
    return outcome;
  }

  /**
   * Ends the kept sessions of a consumer: a retry of the requests that opened them is refused. Call it before sessions are
   * revoked: it waits for running replays, whose sessions are then revoked too.
   */
  async endAll(manager: EntityManager, consumerId: string): Promise<void> {
    await this.records.endOutcomesOf(manager, consumerId);
  }

  private sessionAgain(
    { touchpoint, origin }: Caller,
    operation: IdempotentOperation,
    id: string,
  ): Promise<SessionDto> {
    return this.dataSource.transaction(async (manager) => {
      const consumerId = await this.records.holdOutcome(manager, id);
      if (consumerId === null) throw invalidCredentials('the kept session has ended');
      if (await this.consumers.findDisabledAt(manager, consumerId)) throw consumerDisabled(consumerId);
      await this.audit.record(manager, origin, { type: 'request.replayed', consumerId, details: { operation } });
      return this.sessions.issue(manager, consumerId, touchpoint);
    });
  }
}

const inProgress = (reason: string): ApiError => new ApiError('REQUEST_IN_PROGRESS', { refusal: { reason } });
