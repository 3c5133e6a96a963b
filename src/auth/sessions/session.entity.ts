import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** One sign-in of a consumer; the customer JWT names it in its `sid` claim. */
@Entity()
export class Session {
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Index('session_consumer_id_idx')
  @Column({ type: 'uuid' })
  @ForeignKey('Consumer', { name: 'session_consumer_id_fkey', onDelete: 'CASCADE' })
  consumerId: string;

  @Index('session_touchpoint_id_idx')
  @Column({ type: 'uuid' })
  @ForeignKey('Touchpoint', { name: 'session_touchpoint_id_fkey', onDelete: 'CASCADE' })
  touchpointId: string;

  @Column({ type: 'timestamptz' })
  createdAt: Date;

  /** No token of it is valid longer; an extension moves it. */
  @Index('session_expires_at_idx')
  @Column({ type: 'timestamptz' })
  expiresAt: Date;

  @Column({ type: 'timestamptz', nullable: true })
  revokedAt: Date | null;

  /** Null until a use after the login has been recorded. */
  @Column({ type: 'timestamptz', nullable: true })
  lastUsedAt: Date | null;

  /** How long it may stay unused; null: until it expires. */
  @Column({ type: 'integer', nullable: true })
  idleSeconds: number | null;
}
