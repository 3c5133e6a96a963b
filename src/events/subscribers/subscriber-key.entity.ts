import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';

/** One key of a subscriber, of which only a digest is kept. */
@Entity()
export class SubscriberKey {
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Index('subscriber_key_subscriber_id_idx')
  @Column({ type: 'uuid' })
  subscriberId: string;

  @ManyToOne('Subscriber', 'keys', { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'subscriber_id', foreignKeyConstraintName: 'subscriber_key_subscriber_id_fkey' })
  subscriber: { id: string };

  /** SHA-256 of the key. */
  @Column({ type: 'bytea' })
  digest: Buffer;

  /** The key's last four characters. */
  @Column({ type: 'text' })
  hint: string;

  @Column({ type: 'timestamptz' })
  createdAt: Date;

  /** The end of the overlap of a key that has been replaced; null for the present key. */
  @Column({ type: 'timestamptz', nullable: true })
  expiresAt: Date | null;

  /** Kept to the minute. */
  @Column({ type: 'timestamptz', nullable: true })
  lastUsedAt: Date | null;
}
