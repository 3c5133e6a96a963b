import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import sql from 'sql-template-tag';
import type { DataSource, EntityManager } from 'typeorm';
import { Consumer } from './consumer.entity';

/** For the `FROM` or `JOIN` of another owner's statement, which may lock `c`. */
export const CONSUMER = sql`consumer c`;

/** In this order, so that imports that want the same ids do not wait for each other. */
const INSERT_MANY = `
  INSERT INTO consumer
    (id, type, first_name, last_name, birth_date, locale, address, attributes, created_at, updated_at)
  SELECT id, type, "firstName", "lastName", "birthDate", locale, address, attributes, "createdAt", "updatedAt"
  FROM jsonb_to_recordset($1::jsonb) AS row (id uuid, type text, "firstName" text, "lastName" text,
    "birthDate" date, locale text, address jsonb, attributes jsonb, "createdAt" timestamptz, "updatedAt" timestamptz)
  ORDER BY id`;

/** Every statement on `consumer`, but those that join the fragments above. */
@Injectable()
export class ConsumerRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async insertConsumer(manager: EntityManager, consumer: Consumer): Promise<void> {
    await manager.insert(Consumer, consumer);
  }

  async insertConsumers(manager: EntityManager, consumers: Consumer[]): Promise<void> {
    await manager.query(INSERT_MANY, [JSON.stringify(consumers)]);
  }

  async updateConsumer(
    manager: EntityManager,
    consumerId: string,
    columns: Partial<Omit<Consumer, 'id'>>,
  ): Promise<void> {
    if (Object.keys(columns).length > 0) await manager.update(Consumer, { id: consumerId }, columns);
  }

  /** What belongs to the profile has changed elsewhere. */
  async touch(manager: EntityManager, consumerId: string, at: Date): Promise<void> {
    await manager.query('UPDATE consumer SET updated_at = $2 WHERE id = $1', [consumerId, at]);
  }

  /**
   * Whatever changes a consumer takes this lock before any other but that of the password, so that changes of one
   * consumer wait for each other, and never in a circle. What only refers to the consumer does not wait for it.
   */
  async lockConsumerRow(manager: EntityManager, consumerId: string): Promise<void> {
    await manager.query('SELECT 1 FROM consumer WHERE id = $1 FOR NO KEY UPDATE', [consumerId]);
  }

  /** Also makes what refers to the consumer wait; false when there is none. */
  async lockForErasure(manager: EntityManager, consumerId: string): Promise<boolean> {
    const locked = await manager.query<unknown[]>('SELECT 1 FROM consumer WHERE id = $1 FOR UPDATE', [consumerId]);
    return locked.length > 0;
  }

  /** Whatever still refers to the consumer goes with it. */
  async deleteConsumer(manager: EntityManager, consumerId: string): Promise<void> {
    await manager.query('DELETE FROM consumer WHERE id = $1', [consumerId]);
  }

  async consumerExists(consumerId: string): Promise<boolean> {
    const rows = await this.dataSource.query<unknown[]>('SELECT 1 FROM consumer WHERE id = $1', [consumerId]);
    return rows.length > 0;
  }

  /** Those of the ids that consumers have. */
  async findTakenIds(manager: EntityManager, ids: string[]): Promise<string[]> {
    const rows = await manager.query<{ id: string }[]>('SELECT id FROM consumer WHERE id = ANY ($1::uuid[])', [ids]);
    return rows.map(({ id }) => id);
  }

  async countConsumers(): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>('SELECT count(*)::int AS count FROM consumer');
    return count;
  }

  /** The language that the consumer has chosen, for what is written to the consumer. */
  async findLocale(manager: EntityManager, consumerId: string): Promise<string | null> {
    const [row] = await manager.query<{ locale: string | null }[]>('SELECT locale FROM consumer WHERE id = $1', [
      consumerId,
    ]);
    return row?.locale ?? null;
  }
}
