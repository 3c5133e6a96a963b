import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { RegistrationStartedDto } from '../registration/registration.dto';
import type { Outcome } from './outcome';

/** What is kept of an outcome: a session is opened anew for its consumer, so that no token is stored. */
export interface KeptOutcome {
  status: Outcome['status'];
  /** Absent: a session of the record's consumer. */
  body?: RegistrationStartedDto;
}

/** A request that carried an `Idempotency-Key`: under way, or with what came of it. */
@Entity()
@Unique('idempotency_record_touchpoint_id_key_digest_key', ['touchpointId', 'keyDigest'])
export class IdempotencyRecord {
  /** The lease of the request that holds the key: whoever takes the key over changes it. */
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ type: 'uuid' })
  @ForeignKey('Touchpoint', { name: 'idempotency_record_touchpoint_id_fkey', onDelete: 'CASCADE' })
  touchpointId: string;

  /** Keyed digest. */
  @Column({ type: 'bytea' })
  keyDigest: Buffer;

  /** Keyed digest of what was asked. */
  @Column({ type: 'bytea' })
  requestDigest: Buffer;

  /** Null while the first request runs. */
  @Column({ type: 'json', nullable: true })
  outcome: KeptOutcome | null;

  /** Whose session it was: with the consumer goes the record. */
  @Index('idempotency_record_consumer_id_idx')
  @Column({ type: 'uuid', nullable: true })
  @ForeignKey('Consumer', { name: 'idempotency_record_consumer_id_fkey', onDelete: 'CASCADE' })
  consumerId: string | null;

  /** When another request may take the key over, should the first never end. */
  @Column({ type: 'timestamptz' })
  leaseExpiresAt: Date;

  @Index('idempotency_record_expires_at_idx')
  @Column({ type: 'timestamptz' })
  expiresAt: Date;
}
