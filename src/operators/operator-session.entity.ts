import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';

/** An operator's session in the console; unlike a consumer's it has no token, but a cookie. */
@Entity()
@Unique('operator_session_digest_key', ['digest'])
export class OperatorSession {
  /** Names the session where sessions are listed. */
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  /** SHA-256 of the cookie. */
  @Column({ type: 'bytea' })
  digest: Buffer;

  @Index('operator_session_operator_id_idx')
  @Column({ type: 'uuid' })
  @ForeignKey('Operator', { name: 'operator_session_operator_id_fkey', onDelete: 'CASCADE' })
  operatorId: string;

  @Index('operator_session_created_at_idx')
  @Column({ type: 'timestamptz' })
  createdAt: Date;

  @Column({ type: 'timestamptz' })
  lastUsedAt: Date;

  /** When the operator proved who they are, which may be before the session began; null: unknown. */
  @Column({ type: 'timestamptz', nullable: true })
  authenticatedAt: Date | null;
}
