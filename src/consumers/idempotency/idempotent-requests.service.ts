import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource, EntityManager } from 'typeorm';
import type { SessionDto } from '../../auth/sessions/session.dto';
import { SessionsService } from '../../auth/sessions/sessions.service';
import { AuditService } from '../../audit/audit.service';
import type { Origin } from '../../audit/origin';
import { ApiError, type FieldError, validationFailed } from '../../platform/errors/api-error';
import { canonicalJson } from '../../platform/http/canonical-json';
import type { Touchpoint } from '../../touchpoints/touchpoint.entity';
import type { IdempotencyKey } from './idempotency-key.decorator';
import { IdempotencyRecords } from './idempotency-records.service';
import type { Outcome } from './outcome';

export interface IdempotentRequest {
  touchpoint: Touchpoint;
  operation: 'register' | 'register/complete' | 'identify';
  /** Null: the client asks for no idempotency, and the request is performed as it is. */
  key: IdempotencyKey | null;
  body: object;
  origin: Origin;
  /** Throws when what was granted then would not be granted any more. */
  beforeReplay?: () => void;
}

/** What whoever performs a request does for its key. */
export interface Claim {
  /** What is wrong with the key, to be told together with what is wrong with the body. */
  violations: FieldError[];
  /** Keeps the outcome in the transaction that brings it about, so that neither stands without the other. */
  settle(manager: EntityManager, outcome: Outcome): Promise<Outcome>;
}

const WITHOUT_KEY: Claim = { violations: [], settle: (_, outcome) => Promise.resolve(outcome) };

/** No handler goes further than the body's validation with it. */
const refusing = (violations: FieldError[]): Claim => ({
  violations,
  settle: () => Promise.reject(validationFailed(violations)),
});

/** Performs a request once for its `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header); retries get its outcome. */
@Injectable()
export class IdempotentRequests {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly records: IdempotencyRecords,
    private readonly sessions: SessionsService,
    private readonly audit: AuditService,
  ) {}

  async run(request: IdempotentRequest, perform: (claim: Claim) => Promise<Outcome>): Promise<Outcome> {
    const { touchpoint, operation, key, body } = request;
    if (!key) return perform(WITHOUT_KEY);
    const { value, violations } = key;
    if (violations.length > 0) return perform(refusing(violations));

    const keyed = { touchpointId: touchpoint.id, key: value, content: `${operation}\n${canonicalJson(body)}` };
    const lease = await this.records.begin(keyed);
    if (lease !== null) return this.performOnce(lease, perform);
    const known = await this.records.find(keyed);
    if (!known) throw inProgress('the key has just become free');
    if (!known.isSame) throw new ApiError('IDEMPOTENCY_KEY_REUSED');
    if (!known.outcome) throw inProgress('the first request is running');
    request.beforeReplay?.();
    const { status, body: kept } = known.outcome;
    return { status, body: kept ?? (await this.sessionAgain(request, known.id)), replayed: true };
  }

  private async performOnce(lease: string, perform: (claim: Claim) => Promise<Outcome>): Promise<Outcome> {
    const settle = async (manager: EntityManager, outcome: Outcome) => {
      if (!(await this.records.settle(manager, lease, outcome))) throw inProgress('the lease was lost');
      return outcome;
    };
    try {
      return await perform({ violations: [], settle });
    } catch (error) {
      // A database that is away must not hide the error; the lease then ends by itself.
      await this.records.free(lease).catch(() => undefined);
      throw error;
    }
  }

  /** A fresh token for the same consumer, unless the outcome has been ended meanwhile. */
  private sessionAgain({ touchpoint, operation, origin }: IdempotentRequest, id: string): Promise<SessionDto> {
    return this.dataSource.transaction(async (manager) => {
      const consumerId = await this.records.hold(manager, id);
      if (consumerId === null) throw inProgress('the outcome has just been ended');
      await this.audit.record(manager, origin, { type: 'request.replayed', consumerId, details: { operation } });
      return this.sessions.issue(manager, consumerId, touchpoint);
    });
  }
}

const inProgress = (reason: string): ApiError => new ApiError('REQUEST_IN_PROGRESS', { refusal: { reason } });
