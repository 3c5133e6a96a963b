import type { AuditEvent } from './audit-event';

/** An audit event as an administrator sees it. */
export type AuditEventView = ReturnType<typeof auditEventView>;

export const auditEventView = (event: AuditEvent) => ({
  id: event.id,
  at: event.occurredAt.toISOString(),
  type: event.type,
  outcome: event.outcome,
  reason: event.reason,
  actor: event.actor,
  operator: event.operator,
  touchpoint: event.touchpoint,
  customerId: event.consumerId,
  requestId: event.requestId,
  count: event.count,
  details: event.details,
});
