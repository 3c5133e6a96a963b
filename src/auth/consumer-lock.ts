import type { EntityManager } from 'typeorm';

/**
 * Whatever changes a consumer's profile or identifiers takes this lock first, so that changes of one consumer wait for
 * each other. Logins, which only refer to the consumer, do not wait for it.
 */
export async function lockConsumer(manager: EntityManager, consumerId: string): Promise<void> {
  await manager.query('SELECT 1 FROM consumer WHERE id = $1 FOR NO KEY UPDATE', [consumerId]);
}
