import { createHash } from 'node:crypto';
import { randomSecret } from '../random';

const BODY = /^[A-Za-z0-9_-]{43}[A-Za-z0-9_-]{6}$/;
const CHECKSUM_LENGTH = 6;

const sha256 = (text: string) => createHash('sha256').update(text).digest();

const checksum = (body: string) => sha256(body).toString('base64url').slice(0, CHECKSUM_LENGTH);

/** A new key: its prefix, 256 random bits, and a checksum so that secret scanners recognise it. */
export function newAccessKey(prefix: string): string {
  const body = prefix + randomSecret(32).toString('base64url');
  return body + checksum(body);
}

/** Whether this has the form of a key; other text is refused without asking the database. */
export const isAccessKey = (prefix: string, text: string): boolean =>
  text.startsWith(prefix) &&
  BODY.test(text.slice(prefix.length)) &&
  text.endsWith(checksum(text.slice(0, -CHECKSUM_LENGTH)));

export const accessKeyDigest = (key: string): Buffer => sha256(key);

/** How an administrator distinguishes keys. */
export const hintOf = (key: string): string => key.slice(-4);
