import { timingSafeEqual } from 'node:crypto';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { accessKeyDigest, isAccessKey } from '../platform/secrets/access-key';
import { Clock } from '../platform/clock';
import { AppConfig } from '../platform/settings/config';
import { BatchedLookup, type Found } from '../platform/database/batched-lookup';
import { ApiError, type RefusalDetails } from '../platform/errors/api-error';
import { TOUCHPOINT_CODE } from './touchpoint-code';
import type { Touchpoint } from './touchpoint.entity';
import { TouchpointRepository } from './touchpoint.repository';

/**
 * How old a remembered touchpoint may be, in milliseconds, counted from before it was read: a disabled one must be
 * refused within a second.
 */
const MAX_AGE = 500;

/**
 * A refusal uses nothing older than this, in milliseconds, so that a new key and an enabled touchpoint work at once.
 */
const MAX_AGE_FOR_REFUSAL = 50;
const MAX_REMEMBERED = 10_000;
const MAX_REFUSED = 1_000;

/** `lastUsedAt` is kept to this many milliseconds. */
const USAGE_RESOLUTION = 60_000;
const USAGE_FLUSH_INTERVAL = 5_000;

type Memory = LRUCache<string, Found<Touchpoint>>;

interface Admission {
  touchpoint: Touchpoint;
  keyId: string;
}

type Refusal = 'unknown touchpoint' | 'disabled' | 'wrong key' | 'old key';

/**
 * Decides whether a touchpoint credential is valid, and asks the database at most twice a second for each touchpoint.
 */
@Injectable()
export class TouchpointCredentials implements OnApplicationShutdown {
  private readonly remembered = new LRUCache<string, Found<Touchpoint>>({ max: MAX_REMEMBERED });
  /**
   * What refusals use, whether there is such a touchpoint or not. Only refusals are kept here, and they read nothing
   * else, so that their time does not show which touchpoints exist or are in use.
   */
  private readonly refused = new LRUCache<string, Found<Touchpoint>>({ max: MAX_REFUSED });
  private readonly usedKeyIds = new Set<string>();
  private readonly flushTimer: NodeJS.Timeout;
  private readonly lookup: BatchedLookup<Touchpoint>;

  constructor(
    private readonly touchpoints: TouchpointRepository,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {
    this.lookup = new BatchedLookup((codes) => touchpoints.findTouchpointsByCodes(codes), clock);
    this.flushTimer = setInterval(() => void this.recordUsage().catch(() => undefined), USAGE_FLUSH_INTERVAL).unref();
  }

  /** The enabled touchpoint that this code and key belong to; else `TOUCHPOINT_UNAUTHORIZED`, which never says why. */
  async authenticate(code: string | undefined, key: string | undefined): Promise<Touchpoint> {
    if (code === undefined || key === undefined) throw refused('missing header');
    if (!TOUCHPOINT_CODE.test(code)) throw refused('malformed code');
    const digest = accessKeyDigest(key);
    let verdict = this.judge(this.recall(this.remembered, code, MAX_AGE)?.row, digest);
    if (typeof verdict === 'string') {
      // Only here: the checksum costs as much as the digest, and the key of an admitted request has been checked.
      if (!isAccessKey(this.config.touchpointKeyPrefix, key))
        throw refused('malformed key', { claimedTouchpoint: code });
      const found = this.recall(this.refused, code, MAX_AGE_FOR_REFUSAL) ?? (await this.find(code));
      verdict = this.judge(found.row, digest);
      if (typeof verdict === 'string') this.refused.set(code, found);
    }
    if (typeof verdict === 'string') {
      throw refused(verdict, verdict === 'unknown touchpoint' ? { claimedTouchpoint: code } : { touchpoint: code });
    }
    this.usedKeyIds.add(verdict.keyId);
    return verdict.touchpoint;
  }

  /** The touchpoint as it is now; refuses a request that began before the touchpoint was disabled. */
  async requireEnabled(code: string): Promise<Touchpoint> {
    const { row: touchpoint } = this.recall(this.remembered, code, MAX_AGE) ?? (await this.find(code));
    if (!touchpoint?.enabled) throw refused('disabled', { touchpoint: code });
    return touchpoint;
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.flushTimer);
    await this.recordUsage().catch(() => undefined);
  }

  /** Which key of the touchpoint was sent, or why the credential is refused. */
  private judge(touchpoint: Touchpoint | null | undefined, digest: Buffer): Admission | Refusal {
    if (!touchpoint) return 'unknown touchpoint';
    if (!touchpoint.enabled) return 'disabled';
    const key = touchpoint.keys.find((known) => timingSafeEqual(known.digest, digest));
    if (!key) return 'wrong key';
    const isOver = key.expiresAt !== null && key.expiresAt.getTime() <= this.clock.epochMs();
    return isOver ? 'old key' : { touchpoint, keyId: key.id };
  }

  /** The touchpoint, if it was read less than `maxAge` milliseconds ago. */
  private recall(memory: Memory, code: string, maxAge: number): Found<Touchpoint> | undefined {
    const known = memory.get(code);
    return known && this.clock.monotonicMs() - known.readAt < maxAge ? known : undefined;
  }

  /** Fresh enough for a refusal. */
  private async find(code: string): Promise<Found<Touchpoint>> {
    const found = await this.lookup.find(code, MAX_AGE_FOR_REFUSAL);
    // Only existing touchpoints are remembered, so that invented codes push none out.
    if (found.row) this.remembered.set(code, found);
    else this.remembered.delete(code);
    return found;
  }

  /** Written later, so that no request waits for it. */
  private async recordUsage(): Promise<void> {
    if (this.usedKeyIds.size === 0) return;
    const keyIds = [...this.usedKeyIds];
    this.usedKeyIds.clear();
    const now = this.clock.now();
    await this.touchpoints.recordUse(keyIds, now, new Date(now.getTime() - USAGE_RESOLUTION));
  }
}

const refused = (reason: string, whose: RefusalDetails = {}): ApiError =>
  new ApiError('TOUCHPOINT_UNAUTHORIZED', { refusal: { reason, ...whose } });
