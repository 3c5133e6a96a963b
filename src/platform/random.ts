import { randomBytes, randomFillSync, randomInt } from 'node:crypto';
import { V7Generator } from 'uuidv7';

/** Drawn at once: every request gets an identifier, and each draw costs as much as the rest of one. */
const drawn = new Uint32Array(1024);
let next = drawn.length;

const identifiers = new V7Generator({
  nextUint32: () => {
    if (next === drawn.length) {
      randomFillSync(drawn);
      next = 0;
    }
    return drawn[next++] ?? 0;
  },
});

/** An opaque, time-ordered identifier (UUIDv7, RFC 9562). Not a secret. */
export const newId = (): string => identifiers.generate().toString();

/** `bytes` unguessable bytes. */
export const randomSecret = (bytes: number): Buffer => randomBytes(bytes);

/** `count` unguessable decimal digits. */
export const randomDigits = (count: number): string => String(randomInt(10 ** count)).padStart(count, '0');
