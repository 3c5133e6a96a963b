import type { Channel, MessageKind } from './message';

/** Each channel has a queue of its own, so that trouble with one does not hold up the other. */
export const queueOf = (channel: Channel): string => `message-${channel}`;

/** What stands in the queue: everything but the kind is sealed. */
export interface QueuedMessage {
  kind: MessageKind;
  /** The name of the key that sealed it. */
  key: string;
  /** AES-256-GCM: nonce, tag and ciphertext, in base64. */
  sealed: string;
}
