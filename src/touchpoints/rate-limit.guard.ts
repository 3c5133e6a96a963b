import { type ExecutionContext, Injectable } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerModuleOptions, type ThrottlerRequest } from '@nestjs/throttler';
import type { Response } from 'express';
import type { AppConfig } from '../platform/app-config';
import { ApiError } from '../platform/errors/api-error';
import type { RateLimitStorage } from './rate-limit.storage';
import { touchpointOf, type TouchpointRequest } from './touchpoint-request';

const SECOND = 1000;
const MINUTE = 60_000;

/** The service's two limits, or in their stead the one that an administrator gave the touchpoint (0: unlimited). */
export const rateLimits = (config: AppConfig, storage: RateLimitStorage): ThrottlerModuleOptions => {
  const hasOwnLimit = (context: ExecutionContext) => touchpointOf(context).rateLimit !== null;
  return {
    storage,
    getTracker: (request) => (request as TouchpointRequest).touchpoint.id,
    generateKey: (_, touchpointId, name) => `${name}:${touchpointId}`,
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

/** Counts a request against its touchpoint's limits and tells what is left (draft-ietf-httpapi-ratelimit-headers). */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  /** Public routes have no touchpoint. */
  protected override shouldSkip(context: ExecutionContext): Promise<boolean> {
    return Promise.resolve((touchpointOf(context) as unknown) === undefined);
  }

  protected override async handleRequest(request: ThrottlerRequest): Promise<boolean> {
    const { context, limit, ttl, throttler, blockDuration, getTracker, generateKey } = request;
    const name = throttler.name ?? 'default';
    const { req, res } = this.getRequestResponse(context) as { req: TouchpointRequest; res: Response };
    const key = generateKey(context, await getTracker(req, context), name);
    const record = await this.storageService.increment(key, ttl, limit, blockDuration, name);
    const resetSeconds = Math.max(1, Math.ceil(record.timeToExpire / SECOND));
    const remaining = Math.max(0, limit - record.totalHits);
    addToList(res, 'RateLimit-Policy', `"${name}";q=${limit};w=${ttl / SECOND}`);
    addToList(res, 'RateLimit', `"${name}";r=${remaining};t=${resetSeconds}`);
    if (record.isBlocked) {
      throw new ApiError('RATE_LIMITED', { retryAfterSeconds: resetSeconds, refusal: { reason: `${name} limit` } });
    }
    return true;
  }
}

/** One header field with a list of items (RFC 9651): easier to read than a field for each item. */
function addToList(response: Response, name: string, item: string): void {
  const items = response.getHeader(name) as string | undefined;
  response.setHeader(name, items === undefined ? item : `${items}, ${item}`);
}
