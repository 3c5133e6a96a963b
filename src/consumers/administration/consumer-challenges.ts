import type { EntityManager } from 'typeorm';
import type { Channel } from '../../messages/message';

/** A code that was sent and has not been used; an expired one is kept for some minutes. */
export interface OpenChallenge {
  /** Whether it proves an address of the consumer, or somebody began a registration with that address. */
  of: 'consumer' | 'registration';
  channel: Channel;
  destination: string;
  expiresAt: string;
}

interface ChallengeRow {
  of: OpenChallenge['of'];
  channel: Channel;
  destination: string;
  expiresAt: Date;
}

/** The consumer's own, anybody's to the consumer's addresses, and registrations that name one of those. */
const CONCERNED = `
  FROM challenge c LEFT JOIN pending_registration p ON p.challenge_id = c.id
  WHERE c.consumer_id = $1 OR c.destination = ANY($2)
    OR p.registration ->> 'email' = ANY($2) OR p.registration ->> 'phone' = ANY($2)`;
const OF = `CASE WHEN c.consumer_id IS NULL THEN 'registration' ELSE 'consumer' END AS of`;

export async function challengesConcerning(
  manager: EntityManager,
  consumerId: string,
  addresses: string[],
): Promise<OpenChallenge[]> {
  const rows = await manager.query<ChallengeRow[]>(
    `SELECT ${OF}, c.channel, c.destination, c.expires_at AS "expiresAt" ${CONCERNED} ORDER BY c.expires_at`,
    [consumerId, addresses],
  );
  return rows.map(({ expiresAt, ...challenge }) => ({ ...challenge, expiresAt: expiresAt.toISOString() }));
}

/** Deletes them with what the registrations hold; answers how many of each kind. */
export async function removeChallengesConcerning(
  manager: EntityManager,
  consumerId: string,
  addresses: string[],
): Promise<{ challenges: number; pendingRegistrations: number }> {
  const locked = await manager.query<{ id: string; of: OpenChallenge['of'] }[]>(
    `SELECT c.id, ${OF} ${CONCERNED} ORDER BY c.id FOR UPDATE OF c`,
    [consumerId, addresses],
  );
  await manager.query('DELETE FROM challenge WHERE id = ANY($1)', [locked.map(({ id }) => id)]);
  const challenges = locked.filter((challenge) => challenge.of === 'consumer').length;
  return { challenges, pendingRegistrations: locked.length - challenges };
}
