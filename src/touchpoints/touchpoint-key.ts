import { createHash } from 'node:crypto';
import { randomSecret } from '../platform/random';

const PREFIX = 'tpk_';
const SHAPE = /^tpk_[A-Za-z0-9_-]{43}[A-Za-z0-9_-]{6}$/;
const CHECKSUM_LENGTH = 6;

const sha256 = (text: string) => createHash('sha256').update(text).digest();

const checksum = (body: string) => sha256(body).toString('base64url').slice(0, CHECKSUM_LENGTH);

/** A new key: `tpk_`, 256 random bits, and a checksum so that secret scanners recognise it. */
export function newTouchpointKey(): string {
  const body = PREFIX + randomSecret(32).toString('base64url');
  return body + checksum(body);
}

/** Whether this has the form of a key; other text is refused without asking the database. */
export function isTouchpointKey(text: string): boolean {
  return SHAPE.test(text) && text.endsWith(checksum(text.slice(0, -CHECKSUM_LENGTH)));
}

export const touchpointKeyDigest = (key: string): Buffer => sha256(key);
