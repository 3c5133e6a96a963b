import { createCipheriv, createDecipheriv } from 'node:crypto';
import { randomSecret } from '../random';
import type { KeyPurpose, Secrets } from './secrets';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Something that a reader of the database does not learn. */
export interface Sealed {
  /** The name of the key that sealed it. */
  key: string;
  /** AES-256-GCM: nonce, tag and ciphertext, in base64. */
  sealed: string;
}

/** Encrypts a text with a key from `APP_SECRET`, bound to the id of its row. */
export function seal(secrets: Secrets, purpose: KeyPurpose, id: string, text: string): Sealed {
  const { name, key } = secrets.current(purpose);
  const nonce = randomSecret(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key.subarray(0, KEY_BYTES), nonce).setAAD(Buffer.from(id));
  const ciphertext = Buffer.concat([cipher.update(text), cipher.final()]);
  return { key: name, sealed: Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString('base64') };
}

/** The text, or null if it is damaged, or sealed with a secret that this process does not have. */
export function unseal(secrets: Secrets, purpose: KeyPurpose, id: string, { key, sealed }: Sealed): string | null {
  const derived = secrets.all(purpose).find(({ name }) => name === key);
  if (!derived) return null;
  const bytes = Buffer.from(sealed, 'base64');
  try {
    const decipher = createDecipheriv(CIPHER, derived.key.subarray(0, KEY_BYTES), bytes.subarray(0, NONCE_BYTES))
      .setAAD(Buffer.from(id))
      .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString();
  } catch {
    return null;
  }
}
