import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import sql from 'sql-template-tag';
import { Any, type EntityManager, In, IsNull, LessThan, MoreThan, Not, type Repository } from 'typeorm';
import { run } from '../platform/database/statement';
import { TouchpointKey } from './touchpoint-key.entity';
import { Touchpoint } from './touchpoint.entity';

/** For the `FROM` or `JOIN` of another owner's statement. */
export const TOUCHPOINT = sql`touchpoint t`;

/** What is loaded with a touchpoint: all that its requests need. */
const relations = { keys: true, identityProviders: true };

/** A touchpoint without what is loaded with it. */
type TouchpointRow = Omit<Touchpoint, 'keys' | 'identityProviders'>;

/** A key of the touchpoint with this code. */
export interface EndingKey extends Pick<TouchpointKey, 'hint' | 'lastUsedAt'> {
  code: string;
  expiresAt: Date;
}

/** Every statement on `touchpoint` and `touchpoint_key`, except those that join the fragment above. */
@Injectable()
export class TouchpointRepository {
  constructor(
    @InjectRepository(Touchpoint) private readonly touchpoints: Repository<Touchpoint>,
    @InjectRepository(TouchpointKey) private readonly keys: Repository<TouchpointKey>,
  ) {}

  async findAllTouchpoints(): Promise<Touchpoint[]> {
    return this.touchpoints.find({ relations, order: { code: 'ASC' } });
  }

  /** The next ones in the order of codes. */
  async findTouchpointsAfter(code: string, limit: number): Promise<Touchpoint[]> {
    return this.touchpoints.find({ where: { code: MoreThan(code) }, relations, order: { code: 'ASC' }, take: limit });
  }

  async hasUsedKey(): Promise<boolean> {
    return this.keys.existsBy({ lastUsedAt: Not(IsNull()) });
  }

  /** Keys that have an end, the next to end first. */
  async findEndingKeys(now: Date, limit: number): Promise<EndingKey[]> {
    return run<EndingKey>(
      this.keys.manager,
      sql`SELECT t.code, k.hint, k.expires_at AS "expiresAt", k.last_used_at AS "lastUsedAt"
        FROM touchpoint_key k JOIN ${TOUCHPOINT} ON t.id = k.touchpoint_id
        WHERE k.expires_at > ${now} ORDER BY k.expires_at, k.id LIMIT ${limit}`,
    );
  }

  async findTouchpointByCode(code: string): Promise<Touchpoint | null> {
    return this.touchpoints.findOne({ where: { code }, relations });
  }

  /** One statement: `findOne` would run two for a touchpoint that exists, and the time would show which ones do. */
  async findTouchpointsByCodes(codes: string[]): Promise<Touchpoint[]> {
    return this.touchpoints.find({ where: { code: Any(codes) }, relations });
  }

  async insertTouchpoint(
    manager: EntityManager,
    touchpoint: Omit<TouchpointRow, 'smsCountries' | `session${string}`> & Partial<TouchpointRow>,
  ): Promise<void> {
    await manager.insert(Touchpoint, touchpoint);
  }

  /** False when there is none. */
  async updateTouchpoint(manager: EntityManager, code: string, changes: Partial<TouchpointRow>): Promise<boolean> {
    const { affected } = await manager.update(Touchpoint, { code }, changes);
    return affected === 1;
  }

  /** Makes rotations of its keys wait for each other. */
  async lockTouchpoint(manager: EntityManager, code: string): Promise<Touchpoint | null> {
    return manager.findOne(Touchpoint, { where: { code }, lock: { mode: 'pessimistic_write' } });
  }

  async insertKey(manager: EntityManager, key: Omit<TouchpointKey, 'touchpoint'>): Promise<void> {
    await manager.insert(TouchpointKey, key);
  }

  /** Ends the present key at this time, and those before it now. */
  async expireKeys(manager: EntityManager, touchpointId: string, expiresAt: Date): Promise<void> {
    await manager.delete(TouchpointKey, { touchpointId, expiresAt: Not(IsNull()) });
    await manager.update(TouchpointKey, { touchpointId }, { expiresAt });
  }

  async deleteKeys(manager: EntityManager, touchpointId: string): Promise<void> {
    await manager.delete(TouchpointKey, { touchpointId });
  }

  /** Changes only keys whose recorded last use is earlier than `before`. */
  async recordUse(keyIds: string[], usedAt: Date, before: Date): Promise<void> {
    const id = In(keyIds);
    await this.keys.update(
      [
        { id, lastUsedAt: IsNull() },
        { id, lastUsedAt: LessThan(before) },
      ],
      { lastUsedAt: usedAt },
    );
  }
}
