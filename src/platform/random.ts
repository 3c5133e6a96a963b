import { randomBytes, randomInt } from 'node:crypto';
import { uuidv7 } from 'uuidv7';

/** An opaque, time-ordered identifier (UUIDv7, RFC 9562). Not a secret. */
export const newId = (): string => uuidv7();

/** `bytes` unguessable bytes. */
export const randomSecret = (bytes: number): Buffer => randomBytes(bytes);

/** `count` unguessable decimal digits. */
export const randomDigits = (count: number): string => String(randomInt(10 ** count)).padStart(count, '0');

/** From half to all of it. */
export const jittered = (ms: number): number => randomInt(Math.ceil(ms / 2), ms + 1);

/** A whole number from `least` to `most`. */
export const randomBetween = (least: number, most: number): number => randomInt(least, most + 1);
