import { timingSafeEqual } from 'node:crypto';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LRUCache } from 'lru-cache';
import { In, IsNull, LessThan, type Repository } from 'typeorm';
import { Clock } from '../platform/clock';
import { ApiError, type RefusalDetails } from '../platform/errors/api-error';
import { TouchpointKey } from './touchpoint-key.entity';
import { isTouchpointKey, touchpointKeyDigest } from './touchpoint-key';
import { Touchpoint } from './touchpoint.entity';

/** How old a remembered touchpoint may be, in milliseconds, counted from before it was read: revocation is promised within a second. */
const MAX_AGE = 500;
const MAX_REMEMBERED = 10_000;

/** `lastUsedAt` is kept to this many milliseconds. */
const USAGE_RESOLUTION = 60_000;
const USAGE_FLUSH_INTERVAL = 5_000;

export const TOUCHPOINT_CODE = /^[a-z0-9-]{3,64}$/;

interface Remembered {
  touchpoint: Promise<Touchpoint | null>;
  readAt: number;
}

/** Decides whether a touchpoint credential is good, asking the database at most twice a second for each touchpoint. */
@Injectable()
export class TouchpointCredentials implements OnApplicationShutdown {
  private readonly remembered = new LRUCache<string, Remembered>({ max: MAX_REMEMBERED });
  private readonly usedKeyIds = new Set<string>();
  private readonly flushTimer: NodeJS.Timeout;

  constructor(
    @InjectRepository(Touchpoint) private readonly touchpoints: Repository<Touchpoint>,
    @InjectRepository(TouchpointKey) private readonly keys: Repository<TouchpointKey>,
    private readonly clock: Clock,
  ) {
    this.flushTimer = setInterval(() => void this.recordUsage().catch(() => undefined), USAGE_FLUSH_INTERVAL).unref();
  }

  /** The enabled touchpoint that this code and key belong to; else `TOUCHPOINT_UNAUTHORIZED`, which never says why. */
  async authenticate(code: string | undefined, key: string | undefined): Promise<Touchpoint> {
    if (code === undefined || key === undefined) throw refused('missing header');
    if (!TOUCHPOINT_CODE.test(code)) throw refused('malformed code');
    if (!isTouchpointKey(key)) throw refused('malformed key', { claimedTouchpoint: code });
    const touchpoint = await this.find(code);
    if (!touchpoint) throw refused('unknown touchpoint', { claimedTouchpoint: code });
    if (!touchpoint.enabled) throw refused('disabled', { touchpoint: code });
    const digest = touchpointKeyDigest(key);
    const match = touchpoint.keys.find((known) => timingSafeEqual(known.digest, digest));
    if (!match) throw refused('wrong key', { touchpoint: code });
    if (match.expiresAt !== null && match.expiresAt.getTime() <= this.clock.epochMs())
      throw refused('old key', { touchpoint: code });
    this.usedKeyIds.add(match.id);
    return touchpoint;
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.flushTimer);
    await this.recordUsage().catch(() => undefined);
  }

  private find(code: string): Promise<Touchpoint | null> {
    const known = this.remembered.get(code);
    const readAt = this.clock.monotonicMs();
    if (known && readAt - known.readAt < MAX_AGE) return known.touchpoint;
    const touchpoint = this.touchpoints.findOne({ where: { code }, relations: { keys: true } });
    this.remembered.set(code, { touchpoint, readAt });
    touchpoint.catch(() => this.remembered.delete(code));
    return touchpoint;
  }

  /** Written behind the requests, so that none of them waits for it. */
  private async recordUsage(): Promise<void> {
    if (this.usedKeyIds.size === 0) return;
    const id = In([...this.usedKeyIds]);
    this.usedKeyIds.clear();
    const now = this.clock.now();
    const before = new Date(now.getTime() - USAGE_RESOLUTION);
    await this.keys.update(
      [
        { id, lastUsedAt: IsNull() },
        { id, lastUsedAt: LessThan(before) },
      ],
      { lastUsedAt: now },
    );
  }
}

const refused = (reason: string, whose: RefusalDetails = {}): ApiError =>
  new ApiError('TOUCHPOINT_UNAUTHORIZED', { refusal: { reason, ...whose } });
