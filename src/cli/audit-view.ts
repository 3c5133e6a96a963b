import type { AuditEvent } from '../platform/audit/audit-event.entity';

/** An audit event as an administrator sees it. */
export const auditEventView = ({ occurredAt, consumerId, ...event }: AuditEvent) => ({
  at: occurredAt.toISOString(),
  type: event.type,
  outcome: event.outcome,
  reason: event.reason,
  actor: event.actor,
  operator: event.operator,
  touchpoint: event.touchpoint,
  customerId: consumerId,
  requestId: event.requestId,
  count: event.count,
  details: event.details,
});
