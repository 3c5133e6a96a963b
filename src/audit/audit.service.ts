import { Injectable } from '@nestjs/common';
import sql, { join, raw, type Sql } from 'sql-template-tag';
import type { EntityManager } from 'typeorm';
import { Clock } from '../platform/clock';
import { newId } from '../platform/random';
import type { AuditRecord } from './audit-record';
import type { Origin } from './origin';

const COLUMNS = {
  id: 'uuid',
  occurred_at: 'timestamptz',
  type: 'text',
  outcome: 'text',
  reason: 'text',
  actor: 'text',
  operator: 'text',
  touchpoint: 'text',
  request_id: 'text',
  consumer_id: 'uuid',
  details: 'jsonb',
  count: 'integer',
};

/** The row as a SELECT list, its parameters numbered from `first` on. */
const rowAt = (first: number): string =>
  Object.values(COLUMNS)
    .map((type, index) => `$${first + index}::${type}`)
    .join(', ');

/** For a statement that does an act and records it at once: `WITH done AS (…)` and this. `row` is `AuditService.rowOf`. */
export const recordedFrom = (done: string, row: unknown[]): Sql =>
  sql`INSERT INTO audit_event (${raw(Object.keys(COLUMNS).join(', '))})
    SELECT ${join(Object.values(COLUMNS).map((type, index) => sql`${row[index]}::${raw(type)}`))} FROM ${raw(done)}`;

const INSERT_ALL = `INSERT INTO audit_event (${Object.keys(COLUMNS).join(', ')}) SELECT * FROM unnest(${Object.values(
  COLUMNS,
)
  .map((type, index) => `$${index + 1}::${type}[]`)
  .join(', ')})`;

const INSERT = `INSERT INTO audit_event (${Object.keys(COLUMNS).join(', ')}) VALUES (${rowAt(1)})`;

/** Keeps the audit trail. An act is recorded in its own transaction, so that neither stands without the other. */
@Injectable()
export class AuditService {
  constructor(private readonly clock: Clock) {}

  async record(manager: EntityManager, origin: Origin, act: AuditRecord): Promise<void> {
    await manager.query(INSERT, this.rowOf(origin, act));
  }

  /** Many acts by one statement. */
  async recordAll(manager: EntityManager, origin: Origin, acts: AuditRecord[]): Promise<void> {
    const rows = acts.map((act) => this.rowOf(origin, act));
    const columns = Object.keys(COLUMNS).map((_, index) => rows.map((row) => row[index]));
    await manager.query(INSERT_ALL, columns);
  }

  /** The parameters of `recordedFrom`. */
  rowOf({ actor, operator, touchpoint, requestId }: Origin, act: AuditRecord): unknown[] {
    const { type, consumerId, details, failure } = act;
    const what = [newId(), this.clock.now(), type, failure === undefined ? 'done' : 'failed', failure ?? null];
    const who = [actor, operator ?? null, touchpoint ?? null, requestId ?? null];
    return [...what, ...who, consumerId ?? null, JSON.stringify(details), 1];
  }
}
