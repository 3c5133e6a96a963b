import { Inject, Injectable } from '@nestjs/common';
import { createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { z } from 'zod';
import { Clock } from '../../platform/clock';
import { ApiError } from '../../platform/errors/api-error';
import { fetchWhole } from '../../platform/http/whole-answer';
import { LOGGER } from '../../platform/logger';
import type { IdentityProvider } from '../../touchpoints/identity-providers/identity-provider.entity';

const MAX_REMEMBERED = 500;
const MAX_BYTES = 128 * 1024;
const MAX_KEYS = 100;

/** In milliseconds. */
const DEADLINE = 2_000;
const MAX_AGE = 600_000;
const RENEWAL_INTERVAL = 30_000;
const RETRY_INTERVAL = 2_000;

const keySet = z.object({ keys: z.array(z.looseObject({})).max(MAX_KEYS) });

/** The keys of a provider could not be fetched. */
export class KeysUnavailableError extends Error {}

/** Finds the key for a token among those of one set. */
export type KeySet = ReturnType<typeof createLocalJWKSet>;

/** Where the keys of an identity provider come from. */
interface KeySource {
  current(): Promise<KeySet>;

  /** A newer set than this one, in which a key was missing; null if there is none now. */
  newerThan(keys: KeySet): Promise<KeySet | null>;
}

/** Keys that an administrator has given. */
class GivenKeys implements KeySource {
  private readonly keys: KeySet;

  constructor(jwks: object) {
    this.keys = createLocalJWKSet(jwks as JSONWebKeySet);
  }

  current(): Promise<KeySet> {
    return Promise.resolve(this.keys);
  }

  newerThan(): Promise<null> {
    return Promise.resolve(null);
  }
}

/**
 * Keys that the provider publishes, fetched again when they are old or one is missing. One request at a time;
 * `SERVICE_UNAVAILABLE` if it fails.
 */
class PublishedKeys implements KeySource {
  private keys: KeySet | undefined;
  private loading: Promise<KeySet> | undefined;
  private loadedAt = -Infinity;
  private renewedAt = -Infinity;
  private failedAt = -Infinity;

  constructor(
    private readonly uri: string,
    private readonly clock: Clock,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  async current(): Promise<KeySet> {
    if (this.keys && this.age(this.loadedAt) < MAX_AGE) return this.keys;
    if (!this.loading && this.age(this.failedAt) < RETRY_INTERVAL) throw unavailable(RETRY_INTERVAL);
    return this.load();
  }

  async newerThan(keys: KeySet): Promise<KeySet | null> {
    if (this.keys !== keys) return this.current();
    if (this.loading) return this.loading;
    const sinceRenewal = this.age(this.renewedAt);
    if (sinceRenewal >= RENEWAL_INTERVAL) {
      this.renewedAt = this.clock.monotonicMs();
      return this.load();
    }
    if (this.failedAt >= this.renewedAt) throw unavailable(RENEWAL_INTERVAL - sinceRenewal);
    return null;
  }

  private load(): Promise<KeySet> {
    this.loading ??= this.request().finally(() => (this.loading = undefined));
    return this.loading;
  }

  private async request(): Promise<KeySet> {
    try {
      this.keys = createLocalJWKSet(await requestKeySet(this.uri));
      this.loadedAt = this.clock.monotonicMs();
      this.failedAt = -Infinity;
      return this.keys;
    } catch (error) {
      this.failedAt = this.clock.monotonicMs();
      this.onFailure(error);
      throw unavailable(RETRY_INTERVAL, error);
    }
  }

  private age(since: number): number {
    return this.clock.monotonicMs() - since;
  }
}

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

  /**
   * How many keys the provider has now, published or given; fetched anew, so that an administrator sees whether it works.
   * Rejects with a reason that people can read.
   */
  async count({ jwksUri, jwks }: IdentityProvider): Promise<number> {
    if (jwks) return keySet.parse(jwks).keys.length;
    const { keys } = await requestKeySet(String(jwksUri)).catch((cause: unknown) => {
      throw new KeysUnavailableError(`The keys could not be fetched: ${reasonOf(cause)}`, { cause });
    });
    return keys.length;
  }

  private sourceOf({ issuer, jwksUri, jwks }: IdentityProvider): KeySource {
    if (jwks) return new GivenKeys(jwks);
    return new PublishedKeys(String(jwksUri), this.clock, (err) => {
      this.logger.warn({ issuer, err }, 'The keys of an identity provider could not be fetched');
    });
  }
}

/** The JWK Set at an address; refuses redirects, and an answer that is late, large or not a JWK Set. */
async function requestKeySet(uri: string): Promise<z.infer<typeof keySet>> {
  const request = {
    headers: { Accept: 'application/jwk-set+json, application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(DEADLINE),
  } as const;
  const response = await fetchWhole(uri, request, MAX_BYTES);
  if (response.status !== 200) throw new Error(`The answer was HTTP ${response.status}`);
  return keySet.parse(JSON.parse(await response.text()));
}

function reasonOf(error: unknown): string {
  if (error instanceof z.ZodError) return 'the answer is not a JWK Set';
  if (error instanceof SyntaxError) return 'the answer is not JSON';
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}

const unavailable = (retryAfterMs: number, cause?: unknown): ApiError =>
  new ApiError('SERVICE_UNAVAILABLE', {
    detail: 'The keys of the identity provider could not be fetched.',
    retryAfterSeconds: retryAfterMs / 1000,
    refusal: { reason: 'no keys' },
    cause,
  });
