import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import sql, { empty, type Sql } from 'sql-template-tag';
import type { DataSource, EntityManager } from 'typeorm';
import { change, run } from '../platform/database/statement';
import { Consumer } from './consumer.entity';

/** For the `FROM` or `JOIN` of another owner's statement, which may lock `c`. */
export const CONSUMER = sql`consumer c`;

/** Of `c`. */
export const CONSUMER_COLUMNS = sql`
  c.id AS "customerId", c.type, c.first_name AS "firstName", c.last_name AS "lastName",
  c.birth_date::text AS "birthDate", c.locale, c.address, c.attributes,
  c.created_at AS "createdAt", c.updated_at AS "updatedAt", c.disabled_at AS "disabledAt"`;

/** Whether `c` is not disabled. */
export const IS_ENABLED = sql`c.disabled_at IS NULL`;

/** `CONSUMER_COLUMNS` as a row has them. */
export type ConsumerColumns = Omit<Consumer, 'id'> & { customerId: string };

/** For a `FROM`: the next consumers by their ids, as `c`. */
export const consumerPage = (after: string | null, size: number): Sql =>
  sql`(SELECT * FROM consumer ${after === null ? empty : sql`WHERE id > ${after}`} ORDER BY id LIMIT ${size}) c`;

/** Every statement on `consumer`, except those that join the fragments above. */
@Injectable()
export class ConsumerRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async insertConsumer(manager: EntityManager, consumer: Consumer): Promise<void> {
    await manager.insert(Consumer, consumer);
  }

  /** In one order, so that imports with the same ids do not deadlock. */
  async insertConsumers(manager: EntityManager, consumers: Consumer[]): Promise<void> {
    await run(
      manager,
      sql`INSERT INTO consumer
          (id, type, first_name, last_name, birth_date, locale, address, attributes, created_at, updated_at, disabled_at)
        SELECT id, type, "firstName", "lastName", "birthDate", locale, address, attributes, "createdAt", "updatedAt",
          "disabledAt"
        FROM jsonb_to_recordset(${JSON.stringify(consumers)}::jsonb) AS row (id uuid, type text, "firstName" text,
          "lastName" text, "birthDate" date, locale text, address jsonb, attributes jsonb, "createdAt" timestamptz,
          "updatedAt" timestamptz, "disabledAt" timestamptz)
        ORDER BY id`,
    );
  }

  async updateConsumer(
    manager: EntityManager,
    consumerId: string,
    columns: Partial<Omit<Consumer, 'id'>>,
  ): Promise<void> {
    if (Object.keys(columns).length > 0) await manager.update(Consumer, { id: consumerId }, columns);
  }

  /** Sets `updatedAt`: what the profile shows has changed, here or in another table. */
  async touch(manager: EntityManager, consumerId: string, at: Date): Promise<void> {
    await manager.update(Consumer, { id: consumerId }, { updatedAt: at });
  }

  /** Since when the consumer is disabled, which may be earlier than now; null when there is no such consumer. */
  async disable(manager: EntityManager, consumerId: string, now: Date): Promise<Date | null> {
    const { rows } = await change<{ disabledAt: Date }>(
      manager,
      sql`UPDATE consumer SET disabled_at = COALESCE(disabled_at, ${now}) WHERE id = ${consumerId}
        RETURNING disabled_at AS "disabledAt"`,
    );
    return rows[0]?.disabledAt ?? null;
  }

  /** False when there is no such consumer. */
  async enable(manager: EntityManager, consumerId: string): Promise<boolean> {
    const { affected } = await manager.update(Consumer, { id: consumerId }, { disabledAt: null });
    return affected === 1;
  }

  async findDisabledAt(manager: EntityManager, consumerId: string): Promise<Date | null> {
    const [row] = await run<{ disabledAt: Date | null }>(
      manager,
      sql`SELECT disabled_at AS "disabledAt" FROM consumer WHERE id = ${consumerId}`,
    );
    return row?.disabledAt ?? null;
  }

  /**
   * Every change of a consumer takes this lock first, or right after that of the password, so that changes of one
   * consumer wait for each other without a deadlock. Rows that only refer to the consumer do not wait for it.
   */
  async lockConsumerRow(manager: EntityManager, consumerId: string): Promise<void> {
    await run(manager, sql`SELECT 1 FROM consumer WHERE id = ${consumerId} FOR NO KEY UPDATE`);
  }

  /** Also makes new references to the consumer wait, such as sessions; false if there is no such consumer. */
  async lockWithReferences(manager: EntityManager, consumerId: string): Promise<boolean> {
    const locked = await run(manager, sql`SELECT 1 FROM consumer WHERE id = ${consumerId} FOR UPDATE`);
    return locked.length > 0;
  }

  /** Rows that still refer to the consumer are deleted with it. */
  async deleteConsumer(manager: EntityManager, consumerId: string): Promise<void> {
    await manager.delete(Consumer, { id: consumerId });
  }

  consumerExists(consumerId: string): Promise<boolean> {
    return this.dataSource.manager.existsBy(Consumer, { id: consumerId });
  }

  /** Those of the ids that consumers have. */
  async findTakenIds(manager: EntityManager, ids: string[]): Promise<string[]> {
    const rows = await run<{ id: string }>(manager, sql`SELECT id FROM consumer WHERE id = ANY (${ids}::uuid[])`);
    return rows.map(({ id }) => id);
  }

  countConsumers(): Promise<number> {
    return this.dataSource.manager.count(Consumer);
  }

  hasConsumer(): Promise<boolean> {
    return this.dataSource.manager.exists(Consumer);
  }

  /** The consumer's chosen language, for messages. */
  async findLocale(manager: EntityManager, consumerId: string): Promise<string | null> {
    const [row] = await run<{ locale: string | null }>(
      manager,
      sql`SELECT locale FROM consumer WHERE id = ${consumerId}`,
    );
    return row?.locale ?? null;
  }
}
