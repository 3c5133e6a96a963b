import type { EntityManager } from 'typeorm';
import { ApiError } from '../platform/errors/api-error';

/**
 * Whatever changes a consumer's profile or identifiers takes this lock first, so that changes of one consumer wait for
 * each other. Logins, which only refer to the consumer, do not wait for it. The token of a consumer who has just been
 * erased is dead (`UNAUTHENTICATED`).
 */
export async function lockConsumer(manager: EntityManager, consumerId: string): Promise<void> {
  const locked = await manager.query<unknown[]>('SELECT 1 FROM consumer WHERE id = $1 FOR NO KEY UPDATE', [consumerId]);
  if (locked.length === 0)
    throw new ApiError('UNAUTHENTICATED', { refusal: { reason: 'the consumer has been erased' } });
}
