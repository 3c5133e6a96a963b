import type { EntityManager } from 'typeorm';
import type { Channel, MessageKind } from '../message';

/** Each channel has a queue of its own, so that trouble with one does not hold up the other. */
export const queueOf = (channel: Channel): string => `message-${channel}`;

/** The channel whose queue has this name. */
export const channelOf = (queue: string): Channel => (queue === queueOf('sms') ? 'sms' : 'email');

/** Whether a service has ever started on this database, and so made its queues. */
export async function hasQueues(manager: EntityManager): Promise<boolean> {
  const [{ exists }] = await manager.query<[{ exists: boolean }]>(
    `SELECT to_regclass('pgboss.job') IS NOT NULL AS exists`,
  );
  return exists;
}

/** What stands in the queue: everything that tells of a person is sealed. */
export interface QueuedMessage {
  kind: MessageKind;
  /** When what it says is of no use any more: that of a code. */
  expiresAt?: string;
  /** The name of the key that sealed it. */
  key: string;
  /** AES-256-GCM: nonce, tag and ciphertext, in base64. */
  sealed: string;
}
