import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { changeInBatches } from '../platform/database/batches';
import { AuditEvent } from './audit-event.entity';
import { type AuditEventView, auditEventView } from './audit-event-view';

/** How many events are read at once. */
const PAGE_EVENTS = 1_000;

/** What the audit trail has of one consumer. */
@Injectable()
export class ConsumerTrail {
  /** The newest 1,000, the oldest of them first, and whether there are more. */
  async newest(
    manager: EntityManager,
    consumerId: string,
  ): Promise<{ auditTrail: AuditEventView[]; auditTrailIsCut: boolean }> {
    const events = await manager.find(AuditEvent, {
      where: { consumerId },
      order: { occurredAt: 'DESC', id: 'DESC' },
      take: PAGE_EVENTS + 1,
    });
    const auditTrail = events.slice(0, PAGE_EVENTS).reverse().map(auditEventView);
    return { auditTrail, auditTrailIsCut: events.length > PAGE_EVENTS };
  }

  /** The oldest first. */
  async all(manager: EntityManager, consumerId: string): Promise<AuditEventView[]> {
    const all: AuditEventView[] = [];
    for (let last: string | null = null; ;) {
      const page = await pageAfter(manager, consumerId, last);
      all.push(...page.map(auditEventView));
      last = page.at(-1)?.id ?? null;
      if (page.length < PAGE_EVENTS) return all;
    }
  }

  /** Leaves the events, and takes the masked addresses out of them; answers how many had one. */
  removeDestinations(manager: EntityManager, consumerId: string): Promise<number> {
    return changeInBatches(
      manager,
      `UPDATE audit_event SET details = details - 'destination' WHERE id IN
         (SELECT id FROM audit_event WHERE consumer_id = $2 AND details ? 'destination' LIMIT $1)`,
      consumerId,
    );
  }
}

/** The time is compared in the database, which knows it more exactly than a Date. */
function pageAfter(manager: EntityManager, consumerId: string, last: string | null): Promise<AuditEvent[]> {
  const page = manager
    .createQueryBuilder(AuditEvent, 'event')
    .where('event.consumer_id = :consumerId', { consumerId })
    .orderBy({ 'event.occurredAt': 'ASC', 'event.id': 'ASC' })
    .limit(PAGE_EVENTS);
  if (last !== null) {
    page.andWhere('(event.occurred_at, event.id) > (SELECT occurred_at, id FROM audit_event WHERE id = :last)', {
      last,
    });
  }
  return page.getMany();
}
