import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';

export type IdentifierKind = 'email' | 'phone';

/** An e-mail address or phone number of a consumer: present, claimed or verified, or pending until it is proven. */
@Entity()
@Check('identifier_kind_check', `kind IN ('email', 'phone')`)
@Check('identifier_pending_check', 'NOT pending OR verified_at IS NULL')
@Unique('identifier_consumer_id_kind_pending_key', ['consumerId', 'kind', 'pending'])
@Index('identifier_value_key', ['value', 'kind'], { unique: true, where: 'NOT pending' })
@Index('identifier_pending_value_idx', ['value', 'kind'], { where: 'pending' })
export class Identifier {
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ type: 'uuid' })
  @ForeignKey('Consumer', { name: 'identifier_consumer_id_fkey', onDelete: 'CASCADE' })
  consumerId: string;

  @Column({ type: 'text' })
  kind: IdentifierKind;

  /** In its canonical form. */
  @Column({ type: 'text' })
  value: string;

  @Column({ type: 'boolean' })
  pending: boolean;

  @Column({ type: 'timestamptz', nullable: true })
  verifiedAt: Date | null;
}
