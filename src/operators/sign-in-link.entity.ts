import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** A link that opens one session of the console. */
@Entity()
export class SignInLink {
  /** SHA-256 of the token in the link. */
  @PrimaryColumn({ type: 'bytea' })
  digest: Buffer;

  @Index('sign_in_link_operator_id_idx')
  @Column({ type: 'uuid' })
  @ForeignKey('Operator', { name: 'sign_in_link_operator_id_fkey', onDelete: 'CASCADE' })
  operatorId: string;

  @Index('sign_in_link_expires_at_idx')
  @Column({ type: 'timestamptz' })
  expiresAt: Date;
}
