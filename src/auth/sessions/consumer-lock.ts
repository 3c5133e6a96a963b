import type { EntityManager } from 'typeorm';
import { CONSUMER } from '../../profiles/consumer.repository';
import { sessionEnded } from './jwt-auth.guard';
import { LIVE_SESSION } from './sessions.service';

/**
 * Whatever a consumer changes takes this lock before any other but that of the password, so that changes of one consumer
 * wait for each other, and never in a circle. Logins, which only refer to the consumer, do not wait for it. `liveness` is that of the session: whoever waited here, or for the hash
 * of a password, does nothing for one that has ended meanwhile, nor for a consumer who has been erased (`UNAUTHENTICATED`).
 */
export async function lockConsumer(manager: EntityManager, liveness: unknown[]): Promise<void> {
  const locked = await manager.query<unknown[]>(
    `SELECT 1 FROM session s JOIN ${CONSUMER.text} ON c.id = s.consumer_id
     WHERE ${LIVE_SESSION} FOR NO KEY UPDATE OF c FOR SHARE OF s`,
    liveness,
  );
  if (locked.length === 0) throw sessionEnded();
}
