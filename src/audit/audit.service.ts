import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../platform/clock';
import { newId } from '../platform/random';
import type { AuditEvent } from './audit-event';
import { AuditEventRepository } from './audit-event.repository';
import type { AuditRecord } from './audit-record';
import type { Origin } from './origin';

/** Keeps the audit trail. An act is recorded in the transaction of the change: both are kept, or neither. */
@Injectable()
export class AuditService {
  constructor(
    private readonly events: AuditEventRepository,
    private readonly clock: Clock,
  ) {}

  async record(manager: EntityManager, origin: Origin, act: AuditRecord): Promise<void> {
    await this.events.insertEvent(manager, this.rowOf(origin, act));
  }

  /** Many acts by one statement. */
  async recordAll(manager: EntityManager, origin: Origin, acts: AuditRecord[]): Promise<void> {
    await this.events.insertEvents(
      manager,
      acts.map((act) => this.rowOf(origin, act)),
    );
  }

  /** For `recordedFrom`. */
  rowOf({ actor, operator, touchpoint, requestId }: Origin, act: AuditRecord): AuditEvent {
    const { type, consumerId, details, failure } = act;
    return {
      ...{ id: newId(), occurredAt: this.clock.now(), type },
      ...{ outcome: failure === undefined ? 'done' : 'failed', reason: failure ?? null },
      ...{ actor, operator: operator ?? null, touchpoint: touchpoint ?? null, requestId: requestId ?? null },
      ...{ consumerId: consumerId ?? null, details, count: 1 },
    };
  }
}
