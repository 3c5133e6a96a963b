import type { EntityManager } from 'typeorm';
import { sessionEnded } from './jwt-auth.guard';
import { LIVE_SESSION } from './sessions.service';

/**
 * Whatever a consumer changes takes this lock before any other but that of the password, so that changes of one consumer
 * wait for each other, and never in a circle. Logins, which only refer to the consumer, do not wait for it. `liveness` is that of the session: whoever waited here, or for the hash
 * of a password, does nothing for one that has ended meanwhile, nor for a consumer who has been erased (`UNAUTHENTICATED`).
 */
export async function lockConsumer(manager: EntityManager, liveness: unknown[]): Promise<void> {
  const locked = await manager.query<unknown[]>(
    `SELECT 1 FROM session s JOIN consumer c ON c.id = s.consumer_id
     WHERE ${LIVE_SESSION} FOR NO KEY UPDATE OF c FOR SHARE OF s`,
    liveness,
  );
  if (locked.length === 0) throw sessionEnded();
}

/** The same lock for what an administrator changes. */
export async function lockConsumerRow(manager: EntityManager, consumerId: string): Promise<void> {
  await manager.query('SELECT 1 FROM consumer WHERE id = $1 FOR NO KEY UPDATE', [consumerId]);
}
