import { createHash } from 'node:crypto';
import { randomSecret } from '../platform/random';

/** 256 random bits, for a link or a cookie. */
export const newSignInToken = (): string => randomSecret(32).toString('base64url');

/** What is stored of it: random bits cannot be guessed, so the digest needs no key. */
export const tokenDigest = (token: string): Buffer => createHash('sha256').update(token).digest();
