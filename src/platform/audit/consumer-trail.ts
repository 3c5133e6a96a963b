import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { changeInBatches } from '../database/batches';
import { AuditEvent } from './audit-event.entity';

/** An event of a consumer's audit trail, as an administrator sees it. */
export type TrailEntry = Omit<AuditEvent, 'occurredAt' | 'consumerId'> & { occurredAt: string };

/** What the audit trail has of one consumer. */
@Injectable()
export class ConsumerTrail {
  /** The oldest first. */
  async read(manager: EntityManager, consumerId: string): Promise<TrailEntry[]> {
    const events = await manager.find(AuditEvent, { where: { consumerId }, order: { occurredAt: 'ASC', id: 'ASC' } });
    return events.map(({ consumerId: _, occurredAt, ...event }) => ({
      ...event,
      occurredAt: occurredAt.toISOString(),
    }));
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
