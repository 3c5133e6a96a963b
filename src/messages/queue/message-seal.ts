import { createCipheriv, createDecipheriv } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { randomSecret } from '../../platform/random';
import { Secrets } from '../../platform/secrets';
import type { Message } from '../message';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A stored message: a reader of the database learns no code or address. */
export interface SealedMessage {
  /** The name of the key that sealed it. */
  key: string;
  /** AES-256-GCM: nonce, tag and ciphertext, in base64. */
  sealed: string;
}

/** Keeps codes and addresses out of the queue: a message is sealed to its id, with a key from `APP_SECRET`. */
@Injectable()
export class MessageSeal {
  constructor(private readonly secrets: Secrets) {}

  seal(id: string, message: Message): SealedMessage {
    const { name, key } = this.secrets.current('message-payload');
    const nonce = randomSecret(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, key.subarray(0, KEY_BYTES), nonce).setAAD(Buffer.from(id));
    const ciphertext = Buffer.concat([cipher.update(JSON.stringify(message)), cipher.final()]);
    const sealed = Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString('base64');
    return { key: name, sealed };
  }

  /** The message, or null if it is damaged, or sealed with a secret that this process does not have. */
  open(id: string, message: SealedMessage): Message | null {
    try {
      return this.decrypt(id, message);
    } catch {
      return null;
    }
  }

  private decrypt(id: string, { key: keyName, sealed }: SealedMessage): Message | null {
    const derived = this.secrets.all('message-payload').find(({ name }) => name === keyName);
    if (!derived) return null;
    const bytes = Buffer.from(sealed, 'base64');
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv(CIPHER, derived.key.subarray(0, KEY_BYTES), nonce)
      .setAAD(Buffer.from(id))
      .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
    return JSON.parse(text.toString()) as Message;
  }
}
