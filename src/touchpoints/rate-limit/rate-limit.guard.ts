import { type ExecutionContext, Injectable } from '@nestjs/common';
import { type Resolvable, ThrottlerGuard, type ThrottlerModuleOptions } from '@nestjs/throttler';
import type { Response } from 'express';
import type { AppConfig } from '../../platform/settings/config';
import { countRequest, type Limit } from './count-request';
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

/** Counts a request against its touchpoint's limits. */
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
    const limits: Limit[] = [];
    for (const { name = '', skipIf, limit: limitOf, ttl: ttlOf } of this.throttlers) {
      if (skipIf?.(context)) continue;
      limits.push({ name, limit: await valueOf(limitOf, context), windowMs: await valueOf(ttlOf, context) });
    }
    await countRequest(this.storageService as RateLimitStorage, res, req.touchpoint.id, limits);
    return true;
  }
}

const valueOf = (value: Resolvable<number>, context: ExecutionContext): number | Promise<number> =>
  typeof value === 'function' ? value(context) : value;
