import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Actor } from './origin';

/** An act or a refusal; rows are only added. */
@Entity()
@Check('audit_event_actor_check', `actor IN ('touchpoint', 'consumer', 'cli', 'service', 'operator')`)
@Check('audit_event_outcome_check', `outcome IN ('done', 'refused', 'failed')`)
@Index('audit_event_touchpoint_occurred_at_idx', ['touchpoint', 'occurredAt'])
export class AuditEvent {
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Index('audit_event_occurred_at_idx')
  @Column({ type: 'timestamptz' })
  occurredAt: Date;

  @Column({ type: 'text' })
  type: string;

  @Column({ type: 'text', default: 'done' })
  outcome: 'done' | 'refused' | 'failed';

  /** Why it was refused or failed. */
  @Column({ type: 'text', nullable: true })
  reason: string | null;

  @Column({ type: 'text', default: 'service' })
  actor: Actor;

  /** Who ran the command, or used the console. */
  @Column({ type: 'text', nullable: true })
  operator: string | null;

  /** The code of the touchpoint concerned. */
  @Column({ type: 'text', nullable: true })
  touchpoint: string | null;

  @Index('audit_event_request_id_idx')
  @Column({ type: 'text', nullable: true })
  requestId: string | null;

  /** No foreign key: the trail outlives the consumer. */
  @Index('audit_event_consumer_id_idx')
  @Column({ type: 'uuid', nullable: true })
  consumerId: string | null;

  @Column({ type: 'jsonb' })
  details: object;

  /** How many equal refusals this row stands for. */
  @Column({ type: 'integer', default: 1 })
  count: number;
}
