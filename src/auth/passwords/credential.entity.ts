import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** The password of a consumer who has one. */
@Entity()
export class Credential {
  @PrimaryColumn({ type: 'uuid' })
  @ForeignKey('Consumer', { name: 'credential_consumer_id_fkey', onDelete: 'CASCADE' })
  consumerId: string;

  @Column({ type: 'text' })
  passwordHash: string;

  /** Grows when the password changes, not when the same password is hashed again. */
  @Column({ type: 'integer', default: 1 })
  version: number;
}
