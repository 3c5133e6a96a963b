import { Injectable } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import { RedisConnection } from '../../platform/redis/redis';

/** The state of one limit after a request has been counted; times in milliseconds. */
export type RateLimitRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/**
 * Counts requests in fixed windows: in Redis for all replicas together, in memory without Redis or while it is away.
 */
@Injectable()
export class RateLimitStorage implements ThrottlerStorage {
  private readonly memory: RateLimiterMemory;
  private readonly shared: RateLimiterRedis | undefined;

  constructor(private readonly redis: RedisConnection) {
    // The limit is compared here, because each touchpoint has its own.
    const options = { keyPrefix: 'limit', points: Number.MAX_SAFE_INTEGER, duration: 1 };
    this.memory = new RateLimiterMemory(options);
    this.shared = redis.client
      ? new RateLimiterRedis({
          ...options,
          storeClient: redis.client,
          rejectIfRedisNotReady: true,
          insuranceLimiter: this.memory,
        })
      : undefined;
  }

  async increment(key: string, windowMs: number, limit: number): Promise<RateLimitRecord> {
    // A Redis that hangs must not delay requests.
    const limiter = this.shared && !this.redis.isAway ? this.shared : this.memory;
    const { consumedPoints, msBeforeNext } = await limiter.penalty(key, 1, { customDuration: windowMs / 1000 });
    return {
      totalHits: consumedPoints,
      timeToExpire: msBeforeNext,
      isBlocked: consumedPoints > limit,
      timeToBlockExpire: msBeforeNext,
    };
  }
}
