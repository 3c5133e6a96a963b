import { Injectable } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import { RedisConnection } from '../platform/redis';

/** The state of one limit after a request has been counted; times in milliseconds. */
export type RateLimitRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** Counts requests in fixed windows: in Redis for all replicas together, in memory without it or while it is away. */
@Injectable()
export class RateLimitStorage implements ThrottlerStorage {
  private readonly limiter: RateLimiterMemory | RateLimiterRedis;

  constructor(redis: RedisConnection) {
    // What a key may use is judged here, since every touchpoint has limits of its own.
    const options = { keyPrefix: 'limit', points: Number.MAX_SAFE_INTEGER, duration: 1 };
    const memory = new RateLimiterMemory(options);
    this.limiter = redis.client
      ? new RateLimiterRedis({
          ...options,
          storeClient: redis.client,
          rejectIfRedisNotReady: true,
          insuranceLimiter: memory,
        })
      : memory;
  }

  async increment(key: string, windowMs: number, limit: number): Promise<RateLimitRecord> {
    const { consumedPoints, msBeforeNext } = await this.limiter.penalty(key, 1, { customDuration: windowMs / 1000 });
    return {
      totalHits: consumedPoints,
      timeToExpire: msBeforeNext,
      isBlocked: consumedPoints > limit,
      timeToBlockExpire: msBeforeNext,
    };
  }
}
