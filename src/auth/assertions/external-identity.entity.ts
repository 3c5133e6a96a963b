import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** Who a consumer is for an issuer of assertions: one subject of an issuer is one consumer. */
@Entity()
export class ExternalIdentity {
  @PrimaryColumn({ type: 'text' })
  issuer: string;

  @PrimaryColumn({ type: 'text' })
  subject: string;

  @Index('external_identity_consumer_id_idx')
  @Column({ type: 'uuid' })
  @ForeignKey('Consumer', { name: 'external_identity_consumer_id_fkey', onDelete: 'CASCADE' })
  consumerId: string;

  @Column({ type: 'timestamptz' })
  createdAt: Date;
}
