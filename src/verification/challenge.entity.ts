import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { Channel } from '../messages/message';

/** A code that was sent to an address, and the number of guesses at it. */
@Entity()
@Check('challenge_channel_check', `channel IN ('email', 'sms')`)
@Check('challenge_subject_check', '(consumer_id IS NULL) <> (touchpoint_id IS NULL)')
@Unique('challenge_consumer_id_channel_key', ['consumerId', 'channel'])
export class Challenge {
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  /** The consumer whose address is verified; null for a registration. */
  @Column({ type: 'uuid', nullable: true })
  @ForeignKey('Consumer', { name: 'challenge_consumer_id_fkey', onDelete: 'CASCADE' })
  consumerId: string | null;

  /** The touchpoint where a registration began; null for a consumer. */
  @Column({ type: 'uuid', nullable: true })
  @ForeignKey('Touchpoint', { name: 'challenge_touchpoint_id_fkey', onDelete: 'CASCADE' })
  touchpointId: string | null;

  @Column({ type: 'text' })
  channel: Channel;

  @Column({ type: 'text' })
  destination: string;

  /** Keyed digest; null if no code was sent: then no guess is right. */
  @Column({ type: 'bytea', nullable: true })
  codeDigest: Buffer | null;

  @Column({ type: 'integer' })
  attempts: number;

  @Index('challenge_expires_at_idx')
  @Column({ type: 'timestamptz' })
  expiresAt: Date;
}
