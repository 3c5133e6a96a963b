import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import sql, { type Sql } from 'sql-template-tag';
import type { DataSource, EntityManager } from 'typeorm';
import { type IdentifierName, recoverableBy } from '../../auth/identifiers/identifier.repository';
import { change, run } from '../../platform/database/statement';
import { CONSUMER, IS_ENABLED } from '../../profiles/consumer.repository';
import { Recovery } from './recovery.entity';

/** What is stored of a recovery before it is known whose account it is. */
export type NewRecovery = Pick<
  Recovery,
  'id' | 'touchpointId' | 'channel' | 'destination' | 'codeDigest' | 'expiresAt'
>;

/** Whose account a recovery is. */
export interface Recipient {
  consumerId: string;
  /** The consumer has not proven the identifier. */
  claimed: boolean;
  locale: string | null;
}

/** Which recovery a guess is at. */
export type RecoveryKey = Pick<Recovery, 'id' | 'touchpointId'>;

const isAt = ({ id, touchpointId }: RecoveryKey): Sql => sql`id = ${id} AND touchpoint_id = ${touchpointId}`;

/** The consumer's own, and anybody's to these addresses. */
const concerns = (consumerId: string, addresses: string[]): Sql =>
  sql`consumer_id = ${consumerId} OR destination = ANY(${addresses})`;

/** Every statement on `recovery`. */
@Injectable()
export class RecoveryRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * Finds whose account can be recovered by the identifier, and opens the recovery in the same statement, also if there
   * is none, so that the time does not tell.
   */
  async open(manager: EntityManager, recovery: NewRecovery, identifier: IdentifierName): Promise<Recipient | null> {
    const { id, touchpointId, channel, destination, codeDigest, expiresAt } = recovery;
    const [row] = await run<Recipient | Record<keyof Recipient, null>>(
      manager,
      sql`WITH recipient AS (${recoverableBy(identifier)}), opened AS (
          INSERT INTO recovery (id, touchpoint_id, consumer_id, identifier_id, claimed, channel, destination, code_digest,
            attempts, expires_at)
          SELECT ${id}::uuid, ${touchpointId}::uuid, consumer_id, identifier_id, COALESCE(claimed, false), ${channel},
            ${destination}, ${codeDigest}::bytea, 0, ${expiresAt}::timestamptz
          FROM (VALUES (1)) AS asked LEFT JOIN recipient ON true)
        SELECT consumer_id AS "consumerId", claimed, locale FROM (VALUES (1)) AS asked LEFT JOIN recipient ON true`,
    );
    return row && row.consumerId !== null ? row : null;
  }

  /**
   * Counts a guess before it is compared; null when no guess is left, or no such recovery is open. If the consumer has
   * been disabled since, it has no consumer.
   */
  async countGuess(key: RecoveryKey, guesses: number, now: Date): Promise<Recovery | null> {
    const { rows } = await change<Recovery>(
      this.dataSource,
      sql`UPDATE recovery SET attempts = attempts + 1
      WHERE ${isAt(key)} AND attempts < ${guesses} AND expires_at > ${now}
      RETURNING id, touchpoint_id AS "touchpointId", identifier_id AS "identifierId", claimed, channel, destination,
        code_digest AS "codeDigest", attempts, expires_at AS "expiresAt",
        (SELECT c.id FROM ${CONSUMER} WHERE c.id = recovery.consumer_id AND ${IS_ENABLED}) AS "consumerId"`,
    );
    return rows[0] ?? null;
  }

  /** For a right guess that changed nothing. */
  async takeBackGuess(id: string): Promise<void> {
    await run(this.dataSource, sql`UPDATE recovery SET attempts = attempts - 1 WHERE id = ${id} AND attempts > 0`);
  }

  async isOpen(key: RecoveryKey, now: Date): Promise<boolean> {
    const open = await run(this.dataSource, sql`SELECT 1 FROM recovery WHERE ${isAt(key)} AND expires_at > ${now}`);
    return open.length > 0;
  }

  /** False when somebody else has deleted it. */
  async deleteRecovery(manager: EntityManager, id: string): Promise<boolean> {
    const { affected } = await manager.delete(Recovery, { id });
    return affected === 1;
  }

  async deleteRecoveriesOf(manager: EntityManager, consumerId: string): Promise<void> {
    await manager.delete(Recovery, { consumerId });
  }

  findRecoveriesConcerning(
    manager: EntityManager,
    consumerId: string,
    addresses: string[],
  ): Promise<Pick<Recovery, 'channel' | 'destination' | 'expiresAt'>[]> {
    return run(
      manager,
      sql`SELECT channel, destination, expires_at AS "expiresAt" FROM recovery
        WHERE ${concerns(consumerId, addresses)} ORDER BY expires_at`,
    );
  }

  /** Answers how many there were. */
  async removeRecoveriesConcerning(manager: EntityManager, consumerId: string, addresses: string[]): Promise<number> {
    const { count } = await change(manager, sql`DELETE FROM recovery WHERE ${concerns(consumerId, addresses)}`);
    return count;
  }
}
