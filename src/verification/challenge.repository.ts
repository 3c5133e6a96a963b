import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import sql, { type Sql } from 'sql-template-tag';
import type { DataSource, EntityManager } from 'typeorm';
import type { Channel } from '../messages/message';
import { change, run } from '../platform/database/statement';
import { Challenge } from './challenge.entity';

/** Which challenge is guessed: a registration's by its id, a consumer's by its channel. */
export type ChallengeKey = { id: string; touchpointId: string } | { consumerId: string; channel: Channel };

/** What a challenge proves: an address of a consumer, or of a registration that somebody began. */
export type ChallengePurpose = 'consumer' | 'registration';

const isAt = (key: ChallengeKey): Sql =>
  'id' in key
    ? sql`id = ${key.id} AND touchpoint_id = ${key.touchpointId}`
    : sql`consumer_id = ${key.consumerId} AND channel = ${key.channel}`;

/** Selects the id of the challenge, open or not. */
export const challengeAt = (key: ChallengeKey): Sql => sql`SELECT id FROM challenge WHERE ${isAt(key)}`;

const PURPOSE = sql`CASE WHEN consumer_id IS NULL THEN 'registration' ELSE 'consumer' END`;

/** The consumer's own, anybody's to these addresses, and those of `alsoIds`. */
const concerns = (consumerId: string, addresses: string[], alsoIds: string[]): Sql =>
  sql`consumer_id = ${consumerId} OR destination = ANY(${addresses}) OR id = ANY(${alsoIds}::uuid[])`;

/** Every statement on `challenge`, except those that join the fragment above. */
@Injectable()
export class ChallengeRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Replaces the consumer's challenge on the channel. */
  async insertChallenge(manager: EntityManager, challenge: Challenge): Promise<void> {
    const { id, consumerId, touchpointId, channel, destination, codeDigest, attempts, expiresAt } = challenge;
    await run(
      manager,
      sql`INSERT INTO challenge
          (id, consumer_id, touchpoint_id, channel, destination, code_digest, attempts, expires_at)
        VALUES (${id}, ${consumerId}, ${touchpointId}, ${channel}, ${destination}, ${codeDigest}, ${attempts}, ${expiresAt})
        ON CONFLICT (consumer_id, channel) DO UPDATE SET
          id = excluded.id, destination = excluded.destination, code_digest = excluded.code_digest,
          attempts = excluded.attempts, expires_at = excluded.expires_at`,
    );
  }

  /** Counts a guess before it is compared; null if no guess is left or no challenge is open. */
  async countGuess(key: ChallengeKey, guesses: number, now: Date): Promise<Challenge | null> {
    const { rows } = await change<Challenge>(
      this.dataSource,
      sql`UPDATE challenge SET attempts = attempts + 1
      WHERE ${isAt(key)} AND attempts < ${guesses} AND expires_at > ${now}
      RETURNING id, consumer_id AS "consumerId", touchpoint_id AS "touchpointId", channel, destination,
        code_digest AS "codeDigest", attempts, expires_at AS "expiresAt"`,
    );
    return rows[0] ?? null;
  }

  async isOpen(key: ChallengeKey, now: Date): Promise<boolean> {
    const open = await run(this.dataSource, sql`SELECT 1 FROM challenge WHERE ${isAt(key)} AND expires_at > ${now}`);
    return open.length > 0;
  }

  /** False when somebody else has deleted it. */
  async deleteChallenge(manager: EntityManager, id: string): Promise<boolean> {
    const { affected } = await manager.delete(Challenge, { id });
    return affected === 1;
  }

  /** Deletes the consumer's open challenges, on one channel or all. */
  async deleteChallengesOf(manager: EntityManager, consumerId: string, channel?: Channel): Promise<void> {
    await manager.delete(Challenge, { consumerId, ...(channel && { channel }) });
  }

  async findChallengesConcerning(
    manager: EntityManager,
    consumerId: string,
    addresses: string[],
    alsoIds: string[],
  ): Promise<(Pick<Challenge, 'channel' | 'destination' | 'expiresAt'> & { of: ChallengePurpose })[]> {
    return run(
      manager,
      sql`SELECT ${PURPOSE} AS of, channel, destination, expires_at AS "expiresAt" FROM challenge
        WHERE ${concerns(consumerId, addresses, alsoIds)} ORDER BY expires_at`,
    );
  }

  /** Deletes them with their pending registrations; answers how many of each kind. */
  async removeChallengesConcerning(
    manager: EntityManager,
    consumerId: string,
    addresses: string[],
    alsoIds: string[],
  ): Promise<{ challenges: number; pendingRegistrations: number }> {
    const locked = await run<{ id: string; of: ChallengePurpose }>(
      manager,
      sql`SELECT id, ${PURPOSE} AS of FROM challenge
        WHERE ${concerns(consumerId, addresses, alsoIds)} ORDER BY id FOR UPDATE`,
    );
    await run(manager, sql`DELETE FROM challenge WHERE id = ANY(${locked.map(({ id }) => id)})`);
    const challenges = locked.filter((challenge) => challenge.of === 'consumer').length;
    return { challenges, pendingRegistrations: locked.length - challenges };
  }
}
