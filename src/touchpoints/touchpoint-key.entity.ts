import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';

/** One key of a touchpoint, of which only a digest is kept. */
@Entity()
export class TouchpointKey {
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Index('touchpoint_key_touchpoint_id_idx')
  @Column({ type: 'uuid' })
  touchpointId: string;

  @ManyToOne('Touchpoint', 'keys', { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'touchpoint_id', foreignKeyConstraintName: 'touchpoint_key_touchpoint_id_fkey' })
  touchpoint: { id: string };

  /** SHA-256 of the key: with 256 random bits no slower hash is needed. */
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
