import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Something that somebody may have to answer for later; rows are only ever added. */
@Entity()
export class AuditEvent {
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Index('audit_event_occurred_at_idx')
  @Column({ type: 'timestamptz' })
  occurredAt: Date;

  @Column({ type: 'text' })
  type: string;

  /** No foreign key: the trail outlives the consumer. */
  @Index('audit_event_consumer_id_idx')
  @Column({ type: 'uuid', nullable: true })
  consumerId: string | null;

  @Column({ type: 'jsonb' })
  details: Record<string, string | number>;
}
