import { Injectable } from '@nestjs/common';
import { type Sealed, seal, unseal } from '../../platform/secrets/sealing';
import { Secrets } from '../../platform/secrets/secrets';
import type { Message } from '../message';

/** A stored message: a reader of the database learns no code or address. */
export type SealedMessage = Sealed;

/** Keeps codes and addresses out of the queue: a message is sealed to its id, with a key from `APP_SECRET`. */
@Injectable()
export class MessageSeal {
  constructor(private readonly secrets: Secrets) {}

  seal(id: string, message: Message): SealedMessage {
    return seal(this.secrets, 'message-payload', id, JSON.stringify(message));
  }

  /** The message, or null if it is damaged, or sealed with a secret that this process does not have. */
  open(id: string, message: SealedMessage): Message | null {
    const text = unseal(this.secrets, 'message-payload', id, message);
    return text === null ? null : (JSON.parse(text) as Message);
  }
}
