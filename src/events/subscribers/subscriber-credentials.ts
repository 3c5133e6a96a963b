import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { accessKeyDigest, isAccessKey } from '../../platform/secrets/access-key';
import { Clock } from '../../platform/clock';
import { BatchedLookup } from '../../platform/database/batched-lookup';
import { ApiError } from '../../platform/errors/api-error';
import type { Subscriber } from './subscriber.entity';
import { SubscriberRepository } from './subscriber.repository';

export const SUBSCRIBER_KEY_PREFIX = 'sub_';

export const SUBSCRIBER_CODE = /^[a-z0-9-]{3,64}$/;
export const SUBSCRIBER_CODE_RULE = 'A code has 3 to 64 of the characters a-z, 0-9 and -';

/** `lastUsedAt` is kept to this many milliseconds. */
const USAGE_RESOLUTION = 60_000;

/** Decides whether a subscriber's credential is valid. Nothing is remembered, because subscribers ask rarely. */
@Injectable()
export class SubscriberCredentials {
  private readonly lookup: BatchedLookup<Subscriber>;

  constructor(
    private readonly subscribers: SubscriberRepository,
    private readonly clock: Clock,
  ) {
    this.lookup = new BatchedLookup((codes) => subscribers.findSubscribersByCodes(codes), clock);
  }

  /** The enabled subscriber that this code and key belong to; else `SUBSCRIBER_UNAUTHORIZED`, which never says why. */
  async authenticate(code: string | undefined, key: string | undefined): Promise<Subscriber> {
    if (code === undefined || key === undefined) throw refused('missing header');
    if (!SUBSCRIBER_CODE.test(code)) throw refused('malformed code');
    if (!isAccessKey(SUBSCRIBER_KEY_PREFIX, key)) throw refused('malformed key');
    const { row: subscriber } = await this.lookup.find(code, 0);
    if (!subscriber) throw refused('unknown subscriber');
    if (!subscriber.enabled) throw refused('disabled', code);
    const digest = accessKeyDigest(key);
    const used = subscriber.keys.find((known) => timingSafeEqual(known.digest, digest));
    if (!used) throw refused('wrong key', code);
    const now = this.clock.now();
    if (used.expiresAt && used.expiresAt <= now) throw refused('old key', code);
    await this.recordUse(used.id, used.lastUsedAt, now);
    return subscriber;
  }

  private async recordUse(keyId: string, lastUsedAt: Date | null, now: Date): Promise<void> {
    const before = new Date(now.getTime() - USAGE_RESOLUTION);
    if (lastUsedAt === null || lastUsedAt < before) await this.subscribers.recordUse(keyId, now, before);
  }
}

const refused = (reason: string, subscriber?: string): ApiError =>
  new ApiError('SUBSCRIBER_UNAUTHORIZED', { refusal: { reason, ...(subscriber !== undefined && { subscriber }) } });
