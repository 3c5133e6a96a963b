import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditEventRepository } from './audit-event.repository';
import { type AuditEventView, auditEventView } from './audit-event-view';

/** How many events are read at once. */
const PAGE_EVENTS = 1_000;

/** The audit trail of one consumer. */
@Injectable()
export class ConsumerTrail {
  constructor(private readonly events: AuditEventRepository) {}

  /** The newest, the oldest of them first, and whether there are more. */
  async newest(
    manager: EntityManager,
    consumerId: string,
    limit: number = PAGE_EVENTS,
  ): Promise<{ auditTrail: AuditEventView[]; auditTrailIsCut: boolean }> {
    const events = await this.events.findEvents(manager, { consumerId }, { limit: limit + 1 });
    const auditTrail = events.slice(0, limit).reverse().map(auditEventView);
    return { auditTrail, auditTrailIsCut: events.length > limit };
  }

  /** The oldest first. */
  async all(manager: EntityManager, consumerId: string): Promise<AuditEventView[]> {
    const newestFirst: AuditEventView[] = [];
    for (let before: string | undefined; ;) {
      const page = await this.events.findEvents(manager, { consumerId }, { limit: PAGE_EVENTS, before });
      newestFirst.push(...page.map(auditEventView));
      before = page.at(-1)?.id;
      if (page.length < PAGE_EVENTS) return newestFirst.reverse();
    }
  }

  /** Keeps the events, but removes masked addresses and an administrator's reasons; answers how many had one. */
  removePersonalDetails(manager: EntityManager, consumerId: string): Promise<number> {
    return this.events.removePersonalDetails(manager, consumerId);
  }
}
