import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import type { EntityManager } from 'typeorm';
import type { AuditEvent } from './audit-event';
import { AuditEventRepository, type AuditFilter, type AuditWindow } from './audit-event.repository';
import { explain, type RequestExplanation } from './explanation';

export interface AuditPage {
  /** The oldest first. */
  events: AuditEvent[];
  /** Whether there are more events in the direction of reading: after the last one, or else before the first. */
  hasMore: boolean;
}

/** The event at which a page should begin is not in the trail. */
export class UnknownEventError extends Error {}

/** A client may send the same request id with every request. */
const EXPLAINED_EVENTS = 1_000;

/** Reads the audit trail. */
@Injectable()
export class AuditTrail {
  constructor(
    @InjectEntityManager() private readonly manager: EntityManager,
    private readonly events: AuditEventRepository,
  ) {}

  async page(filter: AuditFilter, window: AuditWindow): Promise<AuditPage> {
    const { limit, before, after } = window;
    for (const id of [before, after]) if (id !== undefined) await this.requireEvent(id);
    const found = await this.events.findEvents(this.manager, filter, { ...window, limit: limit + 1 });
    const events = found.slice(0, limit);
    return { events: after === undefined ? events.reverse() : events, hasMore: found.length > limit };
  }

  /** What happened to a request, check by check; null if the trail does not know it. */
  async explain(requestId: string): Promise<RequestExplanation | null> {
    const { events, hasMore } = await this.page({ requestId }, { limit: EXPLAINED_EVENTS });
    return events.length === 0 ? null : explain(requestId, events, hasMore);
  }

  private async requireEvent(id: string): Promise<void> {
    if (await this.events.eventExists(this.manager, id)) return;
    throw new UnknownEventError(`There is no event ${id} in the audit trail`);
  }
}
