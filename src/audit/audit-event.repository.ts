import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import type { DataSource, EntityManager } from 'typeorm';
import { changeInBatches } from '../platform/database/batches';
import { run } from '../platform/database/statement';
import type { AuditEvent } from './audit-event';

/** Which events; an absent field asks for any. */
export interface AuditFilter {
  consumerId?: string | undefined;
  touchpoint?: string | undefined;
  requestId?: string | undefined;
  since?: Date | undefined;
}

/** A page of events: the newest ones, or the next ones after an event; `before` and `after` are ids of events. */
export interface AuditWindow {
  limit: number;
  before?: string | undefined;
  after?: string | undefined;
}

/** Each column: its name, type and value. */
const COLUMNS: [name: string, type: string, valueOf: (event: AuditEvent) => unknown][] = [
  ['id', 'uuid', (event) => event.id],
  ['occurred_at', 'timestamptz', (event) => event.occurredAt],
  ['type', 'text', (event) => event.type],
  ['outcome', 'text', (event) => event.outcome],
  ['reason', 'text', (event) => event.reason],
  ['actor', 'text', (event) => event.actor],
  ['operator', 'text', (event) => event.operator],
  ['touchpoint', 'text', (event) => event.touchpoint],
  ['request_id', 'text', (event) => event.requestId],
  ['consumer_id', 'uuid', (event) => event.consumerId],
  ['details', 'jsonb', (event) => JSON.stringify(event.details)],
  ['count', 'integer', (event) => event.count],
];

const INTO = sql`INSERT INTO audit_event (${raw(COLUMNS.map(([name]) => name).join(', '))})`;

const valuesOf = (event: AuditEvent): Sql =>
  join(COLUMNS.map(([, type, valueOf]) => sql`${valueOf(event)}::${raw(type)}`));

const insertionOf = (events: AuditEvent[]): Sql =>
  sql`${INTO} SELECT * FROM unnest(${join(
    COLUMNS.map(([, type, valueOf]) => sql`${events.map(valueOf)}::${raw(type)}[]`),
  )})`;

/** For a statement that does an act and records it: `WITH done AS (…)` and this. */
export const recordedFrom = (done: string, event: AuditEvent): Sql =>
  sql`${INTO} SELECT ${valuesOf(event)} FROM ${raw(done)}`;

const SELECTED = raw(
  COLUMNS.map(([name]) => `${name} AS "${name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())}"`).join(
    ', ',
  ),
);

/** Compared in the database, whose times are more exact than a Date. */
const placeOf = (id: string): Sql => sql`(SELECT occurred_at, id FROM audit_event WHERE id = ${id})`;

/** Every statement on `audit_event`, except those that join the fragment above. */
@Injectable()
export class AuditEventRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async insertEvent(manager: EntityManager, event: AuditEvent): Promise<void> {
    await run(manager, sql`${INTO} VALUES (${valuesOf(event)})`);
  }

  async insertEvents(manager: EntityManager, events: AuditEvent[]): Promise<void> {
    await run(manager, insertionOf(events));
  }

  /** If the connection was lost after the commit, the events exist already and are added again without effect. */
  async insertMissingEvents(events: AuditEvent[]): Promise<void> {
    await run(this.dataSource, sql`${insertionOf(events)} ON CONFLICT DO NOTHING`);
  }

  async eventExists(manager: EntityManager, id: string): Promise<boolean> {
    const rows = await run(manager, sql`SELECT 1 FROM audit_event WHERE id = ${id}`);
    return rows.length > 0;
  }

  /** In the order of reading: the newest first, unless `after` is given. */
  findEvents(
    manager: EntityManager,
    { consumerId, touchpoint, requestId, since }: AuditFilter,
    { limit, before, after }: AuditWindow,
  ): Promise<AuditEvent[]> {
    const conditions = [
      consumerId === undefined ? empty : sql`AND consumer_id = ${consumerId}`,
      touchpoint === undefined ? empty : sql`AND touchpoint = ${touchpoint}`,
      requestId === undefined ? empty : sql`AND request_id = ${requestId}`,
      since === undefined ? empty : sql`AND occurred_at >= ${since}`,
      before === undefined ? empty : sql`AND (occurred_at, id) < ${placeOf(before)}`,
      after === undefined ? empty : sql`AND (occurred_at, id) > ${placeOf(after)}`,
    ];
    const direction = raw(after === undefined ? 'DESC' : 'ASC');
    return run<AuditEvent>(
      manager,
      sql`SELECT ${SELECTED} FROM audit_event WHERE true ${join(conditions, ' ')}
        ORDER BY occurred_at ${direction}, id ${direction} LIMIT ${limit}`,
    );
  }

  /** Keeps the events, but removes masked addresses and an administrator's reasons; answers how many had one. */
  removePersonalDetails(manager: EntityManager, consumerId: string): Promise<number> {
    return changeInBatches(
      manager,
      (limit) => sql`
        UPDATE audit_event SET details = details - '{destination,reason}'::text[] WHERE id IN
          (SELECT id FROM audit_event WHERE consumer_id = ${consumerId} AND details ?| '{destination,reason}'
            LIMIT ${limit})`,
    );
  }
}
