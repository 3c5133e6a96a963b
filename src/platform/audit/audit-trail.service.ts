import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThanOrEqual, type Repository } from 'typeorm';
import { AuditEvent } from './audit-event.entity';
import { explain, type RequestExplanation } from './explanation';

/** Which events; an absent field asks for any. */
export interface AuditFilter {
  consumerId?: string | undefined;
  touchpoint?: string | undefined;
  requestId?: string | undefined;
  since?: Date | undefined;
  /** The newest so many. */
  limit: number;
}

/** A client may send one request id with everything. */
const EXPLAINED_EVENTS = 1_000;

/** Reads the audit trail. */
@Injectable()
export class AuditTrail {
  constructor(@InjectRepository(AuditEvent) private readonly events: Repository<AuditEvent>) {}

  /** The oldest first. */
  async list({ consumerId, touchpoint, requestId, since, limit }: AuditFilter): Promise<AuditEvent[]> {
    const newest = await this.events.find({
      where: {
        ...(consumerId !== undefined && { consumerId }),
        ...(touchpoint !== undefined && { touchpoint }),
        ...(requestId !== undefined && { requestId }),
        ...(since && { occurredAt: MoreThanOrEqual(since) }),
      },
      order: { occurredAt: 'DESC', id: 'DESC' },
      take: limit,
    });
    return newest.reverse();
  }

  /** What became of a request, check by check; null when the trail has nothing of it. */
  async explain(requestId: string): Promise<RequestExplanation | null> {
    const events = await this.list({ requestId, limit: EXPLAINED_EVENTS + 1 });
    return events.length === 0 ? null : explain(requestId, events, EXPLAINED_EVENTS);
  }
}
