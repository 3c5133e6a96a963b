import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../platform/clock';
import { newId, randomDigits } from '../platform/random';
import { SANDBOX, type Sandbox } from '../platform/sandbox';
import { Secrets } from '../platform/secrets/secrets';

/** How long a code works. */
export const CODE_TTL_MINUTES = 10;

/** How many guesses at one code are judged. */
export const GUESSES = 5;

/** A code to be sent and forgotten, and what is kept of it. */
export interface NewCode {
  id: string;
  code: string;
  codeDigest: Buffer;
  expiresAt: Date;
}

/** Makes codes and compares guesses with them. A code is bound to its id, so that its digest proves nothing elsewhere. */
@Injectable()
export class OneTimeCodes {
  constructor(
    private readonly secrets: Secrets,
    private readonly clock: Clock,
    @Inject(SANDBOX) private readonly sandbox: Sandbox | null,
  ) {}

  /** For a message to this address. */
  make(digits: number, address: string): NewCode {
    const id = newId();
    const code = this.sandbox?.codeFor(address, digits) ?? randomDigits(digits);
    const codeDigest = this.secrets.digest('verification-code', digested(id, code));
    return { id, code, codeDigest, expiresAt: new Date(this.clock.epochMs() + CODE_TTL_MINUTES * 60_000) };
  }

  isRight(id: string, code: string, codeDigest: Buffer): boolean {
    return this.secrets.matches('verification-code', digested(id, code), codeDigest);
  }
}

const digested = (id: string, code: string): string => `${id}\n${code}`;
