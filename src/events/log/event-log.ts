import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuditRecord } from '../../audit/audit-record';
import { AuditService } from '../../audit/audit.service';
import type { Origin } from '../../audit/origin';
import { Clock } from '../../platform/clock';
import type { Fact } from './event-types';
import { type PendingEvent, PendingEventRepository } from './pending-event.repository';

/** Writes what was done for subscribers, in the transaction of the act: both are kept, or neither. */
@Injectable()
export class EventLog {
  constructor(
    private readonly pending: PendingEventRepository,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  async tell(manager: EntityManager, origin: Origin, ...facts: Fact[]): Promise<void> {
    if (facts.length > 0) await this.pending.insertEvents(manager, this.rowsOf(origin, facts));
  }

  async tellMany(manager: EntityManager, origin: Origin, facts: Fact[]): Promise<void> {
    await this.pending.insertManyEvents(manager, this.rowsOf(origin, facts));
  }

  /** Also records the act for the audit trail, by the same statement. */
  async record(manager: EntityManager, origin: Origin, act: AuditRecord, ...facts: Fact[]): Promise<void> {
    if (facts.length === 0) return this.audit.record(manager, origin, act);
    const record = this.audit.rowOf(origin, act);
    return this.pending.insertEventsAndRecord(manager, this.rowsOf(origin, facts), record);
  }

  /** For the fragments of `PendingEventRepository`. */
  rowOf({ touchpoint }: Pick<Origin, 'touchpoint'>, { type, consumerId, data }: Fact): PendingEvent {
    return { type, occurredAt: this.clock.now(), consumerId, touchpoint: touchpoint ?? null, data };
  }

  private rowsOf(origin: Origin, facts: Fact[]): PendingEvent[] {
    return facts.map((fact) => this.rowOf(origin, fact));
  }
}
