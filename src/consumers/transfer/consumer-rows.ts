import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ImportedAccounts } from '../../auth/imported-accounts';
import type { AuditRecord } from '../../audit/audit-record';
import { AuditService } from '../../audit/audit.service';
import type { Origin } from '../../audit/origin';
import type { ImportedRecord } from './imported-record';
import { externalName, externalValue, keyOf, type UniqueValue } from './unique-values';

/** In this order, so that imports that want the same ids do not wait for each other. */
const INSERT = `
  INSERT INTO consumer
    (id, type, first_name, last_name, birth_date, locale, address, attributes, created_at, updated_at)
  SELECT id, type, "firstName", "lastName", "birthDate", locale, address, attributes, "createdAt", "updatedAt"
  FROM jsonb_to_recordset($1::jsonb) AS row (id uuid, type text, "firstName" text, "lastName" text,
    "birthDate" date, locale text, address jsonb, attributes jsonb, "createdAt" timestamptz, "updatedAt" timestamptz)
  ORDER BY id`;

/** Puts whole consumers into the database, many at once. */
@Injectable()
export class ConsumerRows {
  constructor(
    private readonly accounts: ImportedAccounts,
    private readonly audit: AuditService,
  ) {}

  /** The keys of those values that consumers in the database have. */
  async taken(manager: EntityManager, values: UniqueValue[]): Promise<string[]> {
    const valuesOf = (field: UniqueValue['field']) =>
      values.filter((unique) => unique.field === field).map(({ value }) => value);
    const ids = await manager.query<{ id: string }[]>('SELECT id FROM consumer WHERE id = ANY ($1::uuid[])', [
      valuesOf('customerId'),
    ]);
    const identifiers = await this.accounts.held(manager, valuesOf('email'), valuesOf('phone'));
    const linked = await this.accounts.linked(manager, valuesOf('externalIdentities').map(externalName));
    return [
      ...ids.map(({ id }) => keyOf({ field: 'customerId', value: id })),
      ...identifiers.map(({ kind, value }) => keyOf({ field: kind, value })),
      ...linked.map((name) => keyOf({ field: 'externalIdentities', value: externalValue(name) })),
    ];
  }

  /** Breaks a unique constraint when another consumer has just come to have one of their values. */
  async insert(manager: EntityManager, records: ImportedRecord[], fileSha256: string, origin: Origin): Promise<void> {
    await manager.query(INSERT, [JSON.stringify(records.map(({ consumer }) => consumer))]);
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
  }
}
