import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** How many messages somebody has asked for in a window of time. */
@Entity()
export class SendAllowance {
  /** Whose messages are counted; consumers and network addresses as digests. */
  @PrimaryColumn({ type: 'text' })
  key: string;

  @Column({ type: 'integer' })
  used: number;

  @Column({ type: 'integer' })
  allowed: number;

  @Index('send_allowance_ends_at_idx')
  @Column({ type: 'timestamptz' })
  endsAt: Date;
}
