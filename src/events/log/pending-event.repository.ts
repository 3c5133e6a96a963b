import { Injectable } from '@nestjs/common';
import sql, { join, raw, type Sql } from 'sql-template-tag';
import type { EntityManager } from 'typeorm';
import type { AuditEvent } from '../../audit/audit-event';
import { recordedFrom } from '../../audit/audit-event.repository';
import { run } from '../../platform/database/statement';
import { newId } from '../../platform/random';
import { isWanted } from '../subscribers/subscriber.repository';
import type { EventType } from './event-types';

/** An event without a position. */
export interface PendingEvent {
  type: EventType;
  occurredAt: Date;
  consumerId: string;
  touchpoint: string | null;
  data: object;
}

/** When and where sessions of one consumer end. */
export type SessionEnding = Omit<PendingEvent, 'type' | 'data'>;

const INTO = sql`INSERT INTO event_pending (event_id, type, occurred_at, consumer_id, touchpoint, data)`;

const valuesOf = ({ type, occurredAt, consumerId, touchpoint, data }: PendingEvent): Sql =>
  sql`${newId()}::uuid, ${type}::text, ${occurredAt}::timestamptz, ${consumerId}::uuid, ${touchpoint}::text, ${JSON.stringify(data)}::jsonb`;

const insertionOf = (events: PendingEvent[]): Sql =>
  sql`${INTO} VALUES ${join(events.map((event) => sql`(${valuesOf(event)})`))}`;

/**
 * For a statement that starts a session: `WITH opened AS (…)` and this. Adds nothing while no subscriber asks for it.
 */
export const startedFrom = (opened: string, event: PendingEvent): Sql =>
  sql`${INTO} SELECT ${valuesOf(event)} FROM ${raw(opened)} WHERE ${isWanted(event.type)}`;

/** As many ids as there are rows, which only the database knows: time and version of one UUIDv7, and random bits. */
const idOfEach = (): Sql => sql`(left(${newId()}::text, 15) || substr(gen_random_uuid()::text, 16))::uuid`;

/** The same for a statement that ends sessions and returns their `id`s. */
export const endedFrom = (ended: string, { occurredAt, consumerId, touchpoint }: SessionEnding): Sql =>
  sql`${INTO} SELECT ${idOfEach()}, 'session.ended', ${occurredAt}::timestamptz, ${consumerId}::uuid, ${touchpoint}::text,
      jsonb_build_object('sessionId', id)
    FROM ${raw(ended)} WHERE ${isWanted('session.ended')}`;

/** Every statement that adds to `event_pending`, but those that join the fragments above. */
@Injectable()
export class PendingEventRepository {
  async insertEvents(manager: EntityManager, events: PendingEvent[]): Promise<void> {
    await run(manager, insertionOf(events));
  }

  /** With the audit event of the same act, in one statement. */
  async insertEventsAndRecord(manager: EntityManager, events: PendingEvent[], record: AuditEvent): Promise<void> {
    await run(manager, sql`WITH told AS (${insertionOf(events)}) ${recordedFrom('(VALUES (1)) AS act', record)}`);
  }

  /** Many events, as an import has. */
  async insertManyEvents(manager: EntityManager, events: PendingEvent[]): Promise<void> {
    const rows = JSON.stringify(events.map((event) => ({ id: newId(), ...event })));
    await run(
      manager,
      sql`${INTO} SELECT id, type, "occurredAt", "consumerId", touchpoint, data
        FROM jsonb_to_recordset(${rows}::jsonb)
          AS row (id uuid, type text, "occurredAt" timestamptz, "consumerId" uuid, touchpoint text, data jsonb)`,
    );
  }
}
