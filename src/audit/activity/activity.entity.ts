import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How often something happened in one hour. */
@Entity('activity')
export class ActivityCount {
  /** When it began. */
  @PrimaryColumn({ type: 'timestamptz' })
  hour: Date;

  /** Its code; empty for the whole service. */
  @PrimaryColumn({ type: 'text', default: '' })
  touchpoint: string;

  /** `requests`, `logins`, `registrations`, or the code of a refusal. */
  @PrimaryColumn({ type: 'text' })
  kind: string;

  @Column({ type: 'bigint' })
  count: string;
}
