import { Column, Entity, OneToMany, PrimaryColumn, Unique, OneToOne } from 'typeorm';
import type { EventType } from '../log/event-types';
import type { Webhook } from '../webhooks/webhook.entity';
import type { SubscriberKey } from './subscriber-key.entity';

/** Another system of the business, which reads what happens to consumers. */
@Entity()
@Unique('subscriber_code_key', ['code'])
export class Subscriber {
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ type: 'text' })
  code: string;

  @Column({ type: 'boolean' })
  enabled: boolean;

  /** Empty: every type that is about consumers. */
  @Column({ type: 'text', array: true })
  types: EventType[];

  /** The codes of the touchpoints whose events it gets; empty: all. */
  @Column({ type: 'text', array: true })
  touchpoints: string[];

  /** Whether it may read profiles. */
  @Column({ type: 'boolean' })
  readsConsumers: boolean;

  /** The position up to which it has processed the log. */
  @Column({ type: 'bigint' })
  acknowledged: string;

  /** Events up to this position were never for it. */
  @Column({ type: 'bigint' })
  beginsAfter: string;

  @Column({ type: 'timestamptz', nullable: true })
  acknowledgedAt: Date | null;

  @Column({ type: 'timestamptz' })
  createdAt: Date;

  @Column({ type: 'timestamptz' })
  updatedAt: Date;

  @OneToMany('SubscriberKey', 'subscriber')
  keys: SubscriberKey[];

  /** Null: it reads the log itself. */
  @OneToOne('Webhook', 'subscriber')
  webhook: Webhook | null;
}
