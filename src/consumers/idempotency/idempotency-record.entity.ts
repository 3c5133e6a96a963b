import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { RecoveryStartedDto } from '../recovery/recovery.dto';
import type { RegistrationStartedDto } from '../registration/registration.dto';
import type { Outcome } from './outcome';

/** What is kept of an outcome. No token is stored: a replay opens a new session. */
export interface KeptOutcome {
  status: Outcome['status'];
  /** Absent: a session of the record's consumer, or with 204 none. */
  body?: RegistrationStartedDto | RecoveryStartedDto;
}

/** A request with an `Idempotency-Key`: running, or with its outcome. */
@Entity()
@Unique('idempotency_record_touchpoint_id_key_digest_key', ['touchpointId', 'keyDigest'])
export class IdempotencyRecord {
  /** The lease of the request that holds the key; a request that takes the key over changes it. */
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ type: 'uuid' })
  @ForeignKey('Touchpoint', { name: 'idempotency_record_touchpoint_id_fkey', onDelete: 'CASCADE' })
  touchpointId: string;

  /** Keyed digest. */
  @Column({ type: 'bytea' })
  keyDigest: Buffer;

  /** Keyed digest of the request. */
  @Column({ type: 'bytea' })
  requestDigest: Buffer;

  /** Null while the first request runs. */
  @Column({ type: 'json', nullable: true })
  outcome: KeptOutcome | null;

  /** Whose session it was; null once no session may be opened for it. */
  @Index('idempotency_record_consumer_id_idx')
  @Column({ type: 'uuid', nullable: true })
  @ForeignKey('Consumer', { name: 'idempotency_record_consumer_id_fkey', onDelete: 'SET NULL' })
  consumerId: string | null;

  /** When another request may take the key over, if the first never ends. */
  @Column({ type: 'timestamptz' })
  leaseExpiresAt: Date;

  @Index('idempotency_record_expires_at_idx')
  @Column({ type: 'timestamptz' })
  expiresAt: Date;
}
