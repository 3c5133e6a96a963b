import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock } from '../../../platform/clock';
import { JwtKeys } from '../../keys/jwt-keys';
import type { SessionPrincipal } from '../session-principal';

/** About 3 MB. */
const MAX_REMEMBERED = 10_000;

interface VerifiedToken {
  principal: SessionPrincipal;
  /** In seconds since 1970, as in the token. */
  expiresAt: number;
  /** The keys that it was verified with: none of them may have been removed since. */
  keySet: object;
}

/**
 * Remembers verified tokens, because a look-up costs far less than an ES256 verification. The session is still checked
 * each time.
 */
@Injectable()
export class VerifiedTokens {
  private readonly remembered = new LRUCache<string, VerifiedToken>({ max: MAX_REMEMBERED });

  constructor(
    private readonly keys: JwtKeys,
    private readonly clock: Clock,
  ) {}

  find(token: string): SessionPrincipal | null {
    const known = this.remembered.get(digestOf(token));
    const isGood = known?.keySet === this.keys.publicKeySet && known.expiresAt > this.clock.epochMs() / 1000;
    return isGood ? known.principal : null;
  }

  remember(token: string, principal: SessionPrincipal, expiresAt: number): void {
    this.remembered.set(digestOf(token), { principal, expiresAt, keySet: this.keys.publicKeySet });
  }
}

/** The key is a digest, so that no token stays in memory. */
const digestOf = (token: string): string => createHash('sha256').update(token).digest('base64');
