import { createLocalJWKSet, type JSONWebKeySet } from 'jose';
import type { Clock } from '../../platform/clock';
import { ApiError } from '../../platform/errors/api-error';
import { requestKeySet } from './key-set-request';

/** In milliseconds. */
const MAX_AGE = 600_000;
const RENEWAL_INTERVAL = 30_000;
const RETRY_INTERVAL = 2_000;

/** Finds the key for a token among those of one set. */
export type KeySet = ReturnType<typeof createLocalJWKSet>;

/** Where the keys of an identity provider come from. */
export interface KeySource {
  current(): Promise<KeySet>;

  /** A newer set than this one, in which a key was missing; null if there is none now. */
  newerThan(keys: KeySet): Promise<KeySet | null>;
}

/** Keys that an administrator has given. */
export class GivenKeys implements KeySource {
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
export class PublishedKeys implements KeySource {
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

const unavailable = (retryAfterMs: number, cause?: unknown): ApiError =>
  new ApiError('SERVICE_UNAVAILABLE', {
    detail: 'The keys of the identity provider could not be fetched.',
    retryAfterSeconds: retryAfterMs / 1000,
    refusal: { reason: 'no keys' },
    cause,
  });
