import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** When codes were last sent to an address. */
@Entity()
export class SendLimit {
  @PrimaryColumn({ type: 'bytea' })
  key: Buffer;

  @Column({ type: 'timestamptz', array: true })
  sentAt: Date[];

  @Index('send_limit_last_sent_at_idx')
  @Column({ type: 'timestamptz' })
  lastSentAt: Date;
}
