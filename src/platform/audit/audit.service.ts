import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../clock';
import { newId } from '../random';
import { AuditEvent } from './audit-event.entity';

/** What is recorded: no secrets, no addresses but masked ones. */
export type AuditRecord =
  | { type: 'message.given-up'; consumerId: null; details: { messageId: string; kind: string; reason: string } }
  | { type: 'identifier.lost'; consumerId: string; details: { kind: string; provenBy: string } };

/** Keeps the audit trail. Joins the transaction of the act, so that neither stands without the other. */
@Injectable()
export class AuditService {
  constructor(private readonly clock: Clock) {}

  async record(manager: EntityManager, event: AuditRecord): Promise<void> {
    await manager.insert(AuditEvent, { id: newId(), occurredAt: this.clock.now(), ...event });
  }
}
