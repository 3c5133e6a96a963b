import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { Channel } from '../../messages/message';

/** A code that was sent to an address, so that whoever reads it there can choose a new password. */
@Entity()
@Check('recovery_channel_check', `channel IN ('email', 'sms')`)
@Check('recovery_identifier_id_check', '(consumer_id IS NULL) = (identifier_id IS NULL)')
export class Recovery {
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  /** Where it began, and where alone it can be finished. */
  @Index('recovery_touchpoint_id_idx')
  @Column({ type: 'uuid' })
  @ForeignKey('Touchpoint', { name: 'recovery_touchpoint_id_fkey', onDelete: 'CASCADE' })
  touchpointId: string;

  /** Whose account it recovers; null: there is none, and no guess is right. */
  @Index('recovery_consumer_id_idx')
  @Column({ type: 'uuid', nullable: true })
  @ForeignKey('Consumer', { name: 'recovery_consumer_id_fkey', onDelete: 'CASCADE' })
  consumerId: string | null;

  /** The identifier by which it was asked for; the recovery ends with it. */
  @Index('recovery_identifier_id_idx')
  @Column({ type: 'uuid', nullable: true })
  @ForeignKey('Identifier', { name: 'recovery_identifier_id_fkey', onDelete: 'CASCADE' })
  identifierId: string | null;

  /** The consumer had not proven the identifier when this began. */
  @Column({ type: 'boolean' })
  claimed: boolean;

  @Column({ type: 'text' })
  channel: Channel;

  @Column({ type: 'text' })
  destination: string;

  /** Keyed digest. */
  @Column({ type: 'bytea' })
  codeDigest: Buffer;

  @Column({ type: 'integer' })
  attempts: number;

  @Index('recovery_expires_at_idx')
  @Column({ type: 'timestamptz' })
  expiresAt: Date;
}
