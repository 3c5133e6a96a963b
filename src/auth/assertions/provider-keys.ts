import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { Clock } from '../../platform/clock';
import { LOGGER } from '../../platform/logger';
import type { IdentityProvider } from '../../touchpoints/identity-providers/identity-provider.entity';
import { GivenKeys, type KeySource, PublishedKeys } from './key-source';

const MAX_REMEMBERED = 500;

/** Remembers the keys of identity providers. A provider that is removed and added again counts as new. */
@Injectable()
export class ProviderKeys {
  private readonly sources = new LRUCache<string, KeySource>({ max: MAX_REMEMBERED });

  constructor(
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  of(provider: IdentityProvider): KeySource {
    const known = this.sources.get(provider.id);
    if (known) return known;
    const source = this.sourceOf(provider);
    this.sources.set(provider.id, source);
    return source;
  }

  private sourceOf({ issuer, jwksUri, jwks }: IdentityProvider): KeySource {
    if (jwks) return new GivenKeys(jwks);
    return new PublishedKeys(String(jwksUri), this.clock, (err) => {
      this.logger.warn({ issuer, err }, 'The keys of an identity provider could not be fetched');
    });
  }
}
