import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** An assertion that was used, kept until it has expired on every clock. */
@Entity()
export class UsedAssertion {
  /** SHA-256 of what was signed: a signature can be altered and still be valid. */
  @PrimaryColumn({ type: 'bytea' })
  digest: Buffer;

  @Index('used_assertion_expires_at_idx')
  @Column({ type: 'timestamptz' })
  expiresAt: Date;
}
