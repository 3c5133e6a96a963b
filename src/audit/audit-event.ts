import type { Actor } from './origin';

/** An act or a refusal; rows are only added. */
export interface AuditEvent {
  id: string;
  occurredAt: Date;
  type: string;
  outcome: 'done' | 'refused' | 'failed';
  /** Why it was refused or failed. */
  reason: string | null;
  actor: Actor;
  /** Who ran the command, or used the console. */
  operator: string | null;
  /** The code of the touchpoint concerned. */
  touchpoint: string | null;
  requestId: string | null;
  /** The trail outlives the consumer. */
  consumerId: string | null;
  details: object;
  /** How many equal refusals this row stands for. */
  count: number;
}
