import { type ExecutionContext, Injectable } from '@nestjs/common';
import { type Resolvable, ThrottlerGuard, type ThrottlerModuleOptions } from '@nestjs/throttler';
import type { Response } from 'express';
import type { AppConfig } from '../../platform/config';
import { ApiError } from '../../platform/errors/api-error';
import type { RateLimitStorage } from './rate-limit.storage';
import { touchpointOf, type TouchpointRequest } from '../touchpoint-request';

const SECOND = 1000;
const MINUTE = 60_000;

/** The service's two limits, or the one that an administrator set for the touchpoint instead (0: unlimited). */
export const rateLimits = (config: AppConfig, storage: RateLimitStorage): ThrottlerModuleOptions => {
  const hasOwnLimit = (context: ExecutionContext) => touchpointOf(context).rateLimit !== null;
  return {
    storage,
    throttlers: [
      {
        name: 'burst',
        ttl: SECOND,
        limit: config.rateLimitBurst,
        skipIf: (context) => config.rateLimitBurst === 0 || hasOwnLimit(context),
      },
      {
        name: 'sustained',
        ttl: MINUTE,
        limit: config.rateLimitSustained,
        skipIf: (context) => config.rateLimitSustained === 0 || hasOwnLimit(context),
      },
      {
        name: 'touchpoint',
        ttl: (context) => (touchpointOf(context).rateLimitSeconds ?? 1) * SECOND,
        limit: (context) => touchpointOf(context).rateLimit ?? 0,
        skipIf: (context) => !touchpointOf(context).rateLimit,
      },
    ],
  };
};

/** Counts a request against its touchpoint's limits and sends what is left (draft-ietf-httpapi-ratelimit-headers). */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  /**
   * Unlike the base class, does not look for decorators of the route: none has one, and looking costs more than
   * counting.
   */
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const { req, res } = this.getRequestResponse(context) as { req: Partial<TouchpointRequest>; res: Response };
    // Public routes have no touchpoint.
    if (!req.touchpoint) return true;
    const policies: string[] = [];
    const states: string[] = [];
    for (const { name = '', skipIf, limit: limitOf, ttl: ttlOf } of this.throttlers) {
      if (skipIf?.(context)) continue;
      const [limit, ttl] = [await valueOf(limitOf, context), await valueOf(ttlOf, context)];
      const key = `${name}:${req.touchpoint.id}`;
      const { totalHits, timeToExpire, isBlocked } = await this.storageService.increment(key, ttl, limit, ttl, name);
      const resetSeconds = Math.max(1, Math.ceil(timeToExpire / SECOND));
      policies.push(`"${name}";q=${limit};w=${ttl / SECOND}`);
      states.push(`"${name}";r=${Math.max(0, limit - totalHits)};t=${resetSeconds}`);
      // One field with a list of items (RFC 9651): easier to read than a field for each item.
      res.setHeader('RateLimit-Policy', policies.join(', '));
      res.setHeader('RateLimit', states.join(', '));
      if (isBlocked) {
        throw new ApiError('RATE_LIMITED', { retryAfterSeconds: resetSeconds, refusal: { reason: `${name} limit` } });
      }
    }
    return true;
  }
}

const valueOf = (value: Resolvable<number>, context: ExecutionContext): number | Promise<number> =>
  typeof value === 'function' ? value(context) : value;
