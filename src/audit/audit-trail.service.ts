import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThanOrEqual, type Repository, type SelectQueryBuilder } from 'typeorm';
import { AuditEvent } from './audit-event.entity';
import { explain, type RequestExplanation } from './explanation';

/** Which events; an absent field asks for any. */
export interface AuditFilter {
  consumerId?: string | undefined;
  touchpoint?: string | undefined;
  requestId?: string | undefined;
  since?: Date | undefined;
}

/** Which of them: the newest so many, or after an event the next so many; `before` and `after` are ids of events. */
export interface AuditWindow {
  limit: number;
  before?: string | undefined;
  after?: string | undefined;
}

export interface AuditPage {
  /** The oldest first. */
  events: AuditEvent[];
  /** Whether more lie beyond the last one in the direction of reading: after it, or else before the first. */
  hasMore: boolean;
}

/** The event from which a page was to begin is not in the trail. */
class UnknownEventError extends Error {}

/** A client may send one request id with everything. */
const EXPLAINED_EVENTS = 1_000;

/** Reads the audit trail. */
@Injectable()
export class AuditTrail {
  constructor(@InjectRepository(AuditEvent) private readonly events: Repository<AuditEvent>) {}

  async page(filter: AuditFilter, { limit, before, after }: AuditWindow): Promise<AuditPage> {
    const { consumerId, touchpoint, requestId, since } = filter;
    const where = {
      ...(consumerId !== undefined && { consumerId }),
      ...(touchpoint !== undefined && { touchpoint }),
      ...(requestId !== undefined && { requestId }),
      ...(since && { occurredAt: MoreThanOrEqual(since) }),
    };
    const order = after === undefined ? 'DESC' : 'ASC';
    const query = this.events
      .createQueryBuilder('event')
      .where(where)
      .orderBy({ 'event.occurredAt': order, 'event.id': order })
      .limit(limit + 1);
    if (before !== undefined) await this.restrict(query, '<', before);
    if (after !== undefined) await this.restrict(query, '>', after);
    const found = await query.getMany();
    const events = found.slice(0, limit);
    return { events: after === undefined ? events.reverse() : events, hasMore: found.length > limit };
  }

  /** What became of a request, check by check; null when the trail has nothing of it. */
  async explain(requestId: string): Promise<RequestExplanation | null> {
    const { events, hasMore } = await this.page({ requestId }, { limit: EXPLAINED_EVENTS });
    return events.length === 0 ? null : explain(requestId, events, hasMore);
  }

  /** The time is compared in the database, which knows it more exactly than a Date. */
  private async restrict(query: SelectQueryBuilder<AuditEvent>, order: '<' | '>', id: string): Promise<void> {
    if (!(await this.events.existsBy({ id })))
      throw new UnknownEventError(`There is no event ${id} in the audit trail`);
    const edge = order === '<' ? 'before' : 'after';
    query.andWhere(
      `(event.occurred_at, event.id) ${order} (SELECT occurred_at, id FROM audit_event WHERE id = :${edge})`,
      { [edge]: id },
    );
  }
}
