import type { Response } from 'express';
import { ApiError } from '../../platform/errors/api-error';
import type { RateLimitStorage } from './rate-limit.storage';

const SECOND = 1000;

/** A limit of requests in a window of milliseconds. */
export interface Limit {
  name: string;
  limit: number;
  windowMs: number;
}

type Counter = Pick<RateLimitStorage, 'increment'>;

/** Counts a request against these limits and sends what is left (draft-ietf-httpapi-ratelimit-headers). */
export async function countRequest(counter: Counter, response: Response, id: string, limits: Limit[]): Promise<void> {
  const policies: string[] = [];
  const states: string[] = [];
  for (const { name, limit, windowMs } of limits) {
    const { totalHits, timeToExpire, isBlocked } = await counter.increment(`${name}:${id}`, windowMs, limit);
    const resetSeconds = Math.max(1, Math.ceil(timeToExpire / SECOND));
    policies.push(`"${name}";q=${limit};w=${windowMs / SECOND}`);
    states.push(`"${name}";r=${Math.max(0, limit - totalHits)};t=${resetSeconds}`);
    // One field with a list of items (RFC 9651): easier to read than a field for each item.
    response.setHeader('RateLimit-Policy', policies.join(', '));
    response.setHeader('RateLimit', states.join(', '));
    if (isBlocked) {
      throw new ApiError('RATE_LIMITED', { retryAfterSeconds: resetSeconds, refusal: { reason: `${name} limit` } });
    }
  }
}
