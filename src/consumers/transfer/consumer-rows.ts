import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ImportedAccounts } from '../../auth/imported-accounts';
import type { AuditRecord } from '../../audit/audit-record';
import { AuditService } from '../../audit/audit.service';
import type { Origin } from '../../audit/origin';
import { EventLog } from '../../events/log/event-log';
import type { Fact } from '../../events/log/event-types';
import { ConsumerRepository } from '../../profiles/consumer.repository';
import type { ImportedRecord } from './import/imported-record';
import { externalName, externalValue, keyOf, type UniqueValue } from './import/verdict';

/** Puts whole consumers into the database, many at once. */
@Injectable()
export class ConsumerRows {
  constructor(
    private readonly consumers: ConsumerRepository,
    private readonly accounts: ImportedAccounts,
    private readonly audit: AuditService,
    private readonly events: EventLog,
  ) {}

  /** The keys of those values that consumers in the database have. */
  async taken(manager: EntityManager, values: UniqueValue[]): Promise<string[]> {
    const valuesOf = (field: UniqueValue['field']) =>
      values.filter((unique) => unique.field === field).map(({ value }) => value);
    const ids = await this.consumers.findTakenIds(manager, valuesOf('customerId'));
    const identifiers = await this.accounts.findHeld(manager, valuesOf('email'), valuesOf('phone'));
    const linked = await this.accounts.findLinked(manager, valuesOf('externalIdentities').map(externalName));
    return [
      ...ids.map((id) => keyOf({ field: 'customerId', value: id })),
      ...identifiers.map(({ kind, value }) => keyOf({ field: kind, value })),
      ...linked.map((name) => keyOf({ field: 'externalIdentities', value: externalValue(name) })),
    ];
  }

  /** Violates a unique constraint if another consumer has just got one of their values. */
  async insert(manager: EntityManager, records: ImportedRecord[], fileSha256: string, origin: Origin): Promise<void> {
    await this.consumers.insertConsumers(
      manager,
      records.map(({ consumer }) => consumer),
    );
    await this.accounts.insert(
      manager,
      records.map(({ account }) => account),
    );
    const acts = records.map(({ consumer }): AuditRecord => ({
      type: 'consumer.imported',
      consumerId: consumer.id,
      details: { fileSha256 },
    }));
    await this.audit.recordAll(manager, origin, acts);
    const facts = records.map(({ consumer }): Fact => ({
      type: 'consumer.registered',
      consumerId: consumer.id,
      data: { by: 'import' },
    }));
    await this.events.tellMany(manager, origin, facts);
  }
}
