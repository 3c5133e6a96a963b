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

  @Index('session_expires_at_idx')
  @Column({ type: 'timestamptz' })
  expiresAt: Date;

  @Column({ type: 'timestamptz', nullable: true })
  revokedAt: Date | null;
}
