import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** An address from which a consumer has logged in, as a keyed digest. */
@Entity()
export class KnownAddress {
  @PrimaryColumn({ type: 'uuid' })
  @ForeignKey('Consumer', { name: 'known_address_consumer_id_fkey', onDelete: 'CASCADE' })
  consumerId: string;

  @PrimaryColumn({ type: 'bytea' })
  addressDigest: Buffer;

  @Index('known_address_last_login_at_idx')
  @Column({ type: 'timestamptz' })
  lastLoginAt: Date;
}
