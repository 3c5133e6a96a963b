import { Column, Entity, JoinColumn, OneToOne, PrimaryColumn } from 'typeorm';

/** Where a subscriber's events are pushed to. */
@Entity()
export class Webhook {
  @PrimaryColumn({ type: 'uuid' })
  subscriberId: string;

  @Column({ type: 'text' })
  url: string;

  /** What signs, sealed; and the name of the key that sealed it. */
  @Column({ type: 'text' })
  secret: string;

  @Column({ type: 'text' })
  secretKey: string;

  /** The one before it, which signs too until `formerUntil`. */
  @Column({ type: 'text', nullable: true })
  formerSecret: string | null;

  @Column({ type: 'text', nullable: true })
  formerSecretKey: string | null;

  @Column({ type: 'timestamptz', nullable: true })
  formerUntil: Date | null;

  /** No attempt before this time: it waits after a failure, or a process sends. */
  @Column({ type: 'timestamptz' })
  dueAt: Date;

  /** In a row. */
  @Column({ type: 'integer' })
  failures: number;

  @Column({ type: 'timestamptz', nullable: true })
  failingSince: Date | null;

  /** Why the last attempt failed. */
  @Column({ type: 'text', nullable: true })
  reason: string | null;

  /** Not null: it has failed for too long. */
  @Column({ type: 'timestamptz', nullable: true })
  disabledAt: Date | null;

  @OneToOne('Subscriber', 'webhook', { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'subscriber_id', foreignKeyConstraintName: 'webhook_subscriber_id_fkey' })
  subscriber: unknown;
}
