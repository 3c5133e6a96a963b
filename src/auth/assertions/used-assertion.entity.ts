import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** An assertion that has identified a consumer, kept until no clock could accept it any more. */
@Entity()
export class UsedAssertion {
  /** SHA-256 of what was signed: a signature can be altered and still be good. */
  @PrimaryColumn({ type: 'bytea' })
  digest: Buffer;

  @Index('used_assertion_expires_at_idx')
  @Column({ type: 'timestamptz' })
  expiresAt: Date;
}
