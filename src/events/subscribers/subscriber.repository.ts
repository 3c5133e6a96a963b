import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import sql, { type Sql } from 'sql-template-tag';
import { type EntityManager, In, IsNull, LessThan, Not, type Repository } from 'typeorm';
import { change, run } from '../../platform/database/statement';
import { EVENT_HEAD, type EventRange, firstNumberedAfter } from '../log/event.repository';
import { SubscriberKey } from './subscriber-key.entity';
import { Subscriber } from './subscriber.entity';

/** Whether a subscriber names this type, also one that is disabled for now; asked in the statement of the act. */
export const isWanted = (type: string): Sql => sql`EXISTS (SELECT 1 FROM subscriber WHERE ${type} = ANY(types))`;

/** For the `JOIN` of another owner's statement. */
export const SUBSCRIBER = sql`subscriber s`;

/**
 * For a statement that also names a condition: nothing changes if meanwhile the subscriber was disabled, or another
 * position acknowledged.
 */
export const acknowledging = (id: string, { after, upTo }: EventRange, at: Date): Sql =>
  sql`UPDATE ${SUBSCRIBER} SET acknowledged = ${String(upTo)}::bigint, acknowledged_at = ${at}
    WHERE s.id = ${id} AND s.enabled AND s.acknowledged = ${String(after)}::bigint`;

/** How far behind a subscriber is. */
export interface SubscriberLag {
  id: string;
  code: string;
  events: number;
  /** When the first event was numbered that it has not acknowledged. */
  since: Date | null;
}

const relations = { keys: true, webhook: true };

type SubscriberRow = Omit<Subscriber, 'keys' | 'webhook'>;

/** Every statement on `subscriber` and `subscriber_key`, except those that join the fragments above. */
@Injectable()
export class SubscriberRepository {
  constructor(
    @InjectRepository(Subscriber) private readonly subscribers: Repository<Subscriber>,
    @InjectRepository(SubscriberKey) private readonly keys: Repository<SubscriberKey>,
  ) {}

  async findAllSubscribers(): Promise<Subscriber[]> {
    return this.subscribers.find({ relations, order: { code: 'ASC' } });
  }

  async findSubscriberByCode(code: string): Promise<Subscriber | null> {
    return this.subscribers.findOne({ where: { code }, relations });
  }

  /** The lags of enabled subscribers. */
  findLags(): Promise<SubscriberLag[]> {
    return run<SubscriberLag>(
      this.subscribers.manager,
      sql`SELECT s.id, s.code, (h.position - s.acknowledged)::float8 AS events,
          ${firstNumberedAfter(sql`s.acknowledged`)} AS since
        FROM ${SUBSCRIBER} CROSS JOIN ${EVENT_HEAD} WHERE s.enabled ORDER BY s.code`,
    );
  }

  /** One statement, whether they exist or not. */
  async findSubscribersByCodes(codes: string[]): Promise<Subscriber[]> {
    return this.subscribers.find({ where: { code: In(codes) }, relations });
  }

  async insertSubscriber(manager: EntityManager, subscriber: SubscriberRow): Promise<void> {
    await manager.insert(Subscriber, subscriber);
  }

  /** False when there is none. */
  async updateSubscriber(manager: EntityManager, code: string, changes: Partial<SubscriberRow>): Promise<boolean> {
    const { affected } = await manager.update(Subscriber, { code }, changes);
    return affected === 1;
  }

  /**
   * To a position before or after the acknowledged one; false when there is no such subscriber. Nobody knows what of the
   * events before a later position it was told, so none counts.
   */
  async rewindSubscriber(manager: EntityManager, code: string, position: string, at: Date): Promise<boolean> {
    const { count } = await change(
      manager,
      sql`UPDATE subscriber SET acknowledged = ${position}::bigint, acknowledged_at = ${at}, updated_at = ${at},
          begins_after = CASE WHEN ${position}::bigint > acknowledged THEN ${position}::bigint
            ELSE LEAST(begins_after, ${position}::bigint) END
        WHERE code = ${code}`,
    );
    return count === 1;
  }

  /** Makes rotations of its keys wait for each other. */
  async lockSubscriber(manager: EntityManager, code: string): Promise<Subscriber | null> {
    return manager.findOne(Subscriber, { where: { code }, lock: { mode: 'pessimistic_write' } });
  }

  /** Never backwards, so that acknowledgements may come in any order. */
  async acknowledge(manager: EntityManager, id: string, position: bigint, at: Date): Promise<void> {
    await change(
      manager,
      sql`UPDATE subscriber SET acknowledged = ${String(position)}::bigint, acknowledged_at = ${at}
        WHERE id = ${id} AND acknowledged < ${String(position)}::bigint`,
    );
  }

  /** Nothing changes if meanwhile another position was acknowledged. */
  async passOver(manager: EntityManager, id: string, { after, upTo }: EventRange): Promise<void> {
    await change(
      manager,
      sql`UPDATE subscriber SET acknowledged = ${String(upTo)}::bigint
        WHERE id = ${id} AND acknowledged = ${String(after)}::bigint`,
    );
  }

  async insertKey(manager: EntityManager, key: Omit<SubscriberKey, 'subscriber'>): Promise<void> {
    await manager.insert(SubscriberKey, key);
  }

  /** Ends the present key at this time, and those before it now. */
  async expireKeys(manager: EntityManager, subscriberId: string, expiresAt: Date): Promise<void> {
    await manager.delete(SubscriberKey, { subscriberId, expiresAt: Not(IsNull()) });
    await manager.update(SubscriberKey, { subscriberId }, { expiresAt });
  }

  async deleteKeys(manager: EntityManager, subscriberId: string): Promise<void> {
    await manager.delete(SubscriberKey, { subscriberId });
  }

  /** Changes only a key whose recorded last use is earlier than `before`. */
  async recordUse(id: string, usedAt: Date, before: Date): Promise<void> {
    await this.keys.update(
      [
        { id, lastUsedAt: IsNull() },
        { id, lastUsedAt: LessThan(before) },
      ],
      { lastUsedAt: usedAt },
    );
  }
}
