import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import sql, { type Sql } from 'sql-template-tag';
import type { DataSource, EntityManager } from 'typeorm';
import { Clock } from '../../platform/clock';
import { change, run } from '../../platform/database/statement';
import { CONSUMER } from '../../profiles/consumer.repository';
import { Secrets } from '../../platform/secrets/secrets';
import { IdempotencyRecord, type KeptOutcome } from './idempotency-record.entity';
import type { Outcome } from './outcome';

/** Times in milliseconds. */
const MEMORY = 24 * 3_600_000;
/** Longer than a request takes; one that takes even longer fails if another has begun meanwhile. */
export const LEASE = 60_000;

/** What identifies a request with a key. */
export interface KeyedRequest {
  touchpointId: string;
  key: string;
  /** Equal for equal requests. */
  content: string;
}

export interface KnownRequest {
  id: string;
  isSame: boolean;
  /** Null while it runs. */
  outcome: KeptOutcome | null;
}

const isHeld = (record: Sql, now: Date): Sql =>
  sql`${record}.expires_at > ${now} AND (${record}.outcome IS NOT NULL OR ${record}.lease_expires_at > ${now})`;

/**
 * Every statement on `idempotency_record`: the database decides who holds which key. Key and request are stored as keyed
 * digests only.
 */
@Injectable()
export class IdempotencyRecordRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
  ) {}

  /** Takes the key for a request that begins; false when another request holds the key. */
  async beginLease(lease: string, request: KeyedRequest): Promise<boolean> {
    const { touchpointId } = request;
    const digests = this.keyDigests(request);
    const now = this.clock.now();
    const [taken] = await run<{ id: string }>(
      this.dataSource,
      sql`INSERT INTO idempotency_record AS known
          (id, touchpoint_id, key_digest, request_digest, lease_expires_at, expires_at)
        SELECT ${lease}::uuid, ${touchpointId}::uuid, ${digests[0]}::bytea, ${this.requestDigest(request)}::bytea,
          ${later(now, LEASE)}::timestamptz, ${later(now, MEMORY)}::timestamptz
        WHERE NOT EXISTS (
          SELECT 1 FROM idempotency_record other
          WHERE other.touchpoint_id = ${touchpointId} AND other.key_digest = ANY(${digests})
            AND ${isHeld(sql`other`, now)})
        ON CONFLICT (touchpoint_id, key_digest) DO UPDATE SET
          id = excluded.id, request_digest = excluded.request_digest, outcome = NULL, consumer_id = NULL,
          lease_expires_at = excluded.lease_expires_at, expires_at = excluded.expires_at
        WHERE NOT (${isHeld(sql`known`, now)})
        RETURNING id`,
    );
    return taken !== undefined;
  }

  /** The request that holds the key, if one still does. */
  async findKnownRequest(request: KeyedRequest): Promise<KnownRequest | null> {
    const [record] = await run<Pick<IdempotencyRecord, 'id' | 'requestDigest' | 'outcome'>>(
      this.dataSource,
      sql`SELECT id, request_digest AS "requestDigest", outcome FROM idempotency_record known
        WHERE touchpoint_id = ${request.touchpointId} AND key_digest = ANY(${this.keyDigests(request)})
          AND ${isHeld(sql`known`, this.clock.now())}`,
    );
    if (!record) return null;
    const { id, requestDigest, outcome } = record;
    return { id, isSame: this.secrets.matches('idempotency', digested(request), requestDigest), outcome };
  }

  /** Keeps the outcome of a request; false if its lease was lost. */
  async keepOutcome(manager: EntityManager, id: string, { status, body }: Outcome): Promise<boolean> {
    const isSession = body !== undefined && 'token' in body;
    const outcome: KeptOutcome = isSession || body === undefined ? { status } : { status, body };
    const { count } = await change(
      manager,
      sql`UPDATE idempotency_record
      SET outcome = ${JSON.stringify(outcome)}, consumer_id = ${isSession ? body.customerId : null}
      WHERE id = ${id} AND outcome IS NULL`,
    );
    return count === 1;
  }

  /** Frees the keys of requests without an outcome, and answers which of them were held. */
  async freeLeases(ids: string[]): Promise<string[]> {
    const { rows } = await change<{ id: string }>(
      this.dataSource,
      sql`DELETE FROM idempotency_record WHERE id = ANY(${ids}::uuid[]) AND outcome IS NULL RETURNING id`,
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Locks an outcome until the transaction ends, and answers whose session it is; null if that has ended. Locks the
   * consumer first, as every statement that ends outcomes does.
   */
  async holdOutcome(manager: EntityManager, id: string): Promise<string | null> {
    const [held] = await run<{ consumerId: string }>(
      manager,
      sql`SELECT consumer_id AS "consumerId" FROM idempotency_record
        WHERE id = ${id} AND consumer_id = (
          SELECT c.id FROM idempotency_record record JOIN ${CONSUMER} ON c.id = record.consumer_id
          WHERE record.id = ${id} FOR KEY SHARE OF c)
        FOR SHARE`,
    );
    return held?.consumerId ?? null;
  }

  /** The records stay, without a consumer. */
  async endOutcomesOf(manager: EntityManager, consumerId: string): Promise<void> {
    await manager.update(IdempotencyRecord, { consumerId }, { consumerId: null });
  }

  /** The first is for new records; the others find those from before a change of `APP_SECRET`. */
  private keyDigests({ key }: KeyedRequest): Buffer[] {
    return this.secrets.digests('idempotency', key);
  }

  private requestDigest(request: KeyedRequest): Buffer {
    return this.secrets.digest('idempotency', digested(request));
  }
}

const later = (time: Date, milliseconds: number): Date => new Date(time.getTime() + milliseconds);

/** Includes the key, which is not stored: otherwise the password could be guessed from the digest. */
const digested = ({ key, content }: KeyedRequest): string => `${key}\n${content}`;
