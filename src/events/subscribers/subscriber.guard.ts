import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { AppConfig } from '../../platform/settings/config';
import type { RequestLog } from '../../platform/http/server/request-context';
import { judge } from '../../platform/http/standing';
import { countRequest, type Limit } from '../../touchpoints/rate-limit/count-request';
import { RateLimitStorage } from '../../touchpoints/rate-limit/rate-limit.storage';
import { SubscriberCredentials } from './subscriber-credentials';
import { subscriberRequestOf } from './subscriber-request';

const SECOND = 1_000;
const MINUTE = 60_000;

/** Admits a request only with the credential of an enabled subscriber, and within the limits that touchpoints have too. */
@Injectable()
export class SubscriberGuard implements CanActivate {
  private readonly limits: Limit[];

  constructor(
    private readonly credentials: SubscriberCredentials,
    private readonly counter: RateLimitStorage,
    { rateLimitBurst, rateLimitSustained }: AppConfig,
  ) {
    const limits = [
      { name: 'burst', limit: rateLimitBurst, windowMs: SECOND },
      { name: 'sustained', limit: rateLimitSustained, windowMs: MINUTE },
    ];
    this.limits = limits.filter(({ limit }) => limit > 0);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = subscriberRequestOf(context);
    const response = context.switchToHttp().getResponse<Response<unknown, RequestLog>>();
    // Repeated headers arrive joined by a comma, which no code or key contains.
    const { 'x-subscriber-code': code, 'x-subscriber-key': key } = request.headers;
    await judge(request, async () => {
      request.subscriber = await this.credentials.authenticate(code as string | undefined, key as string | undefined);
      request.subscriberCode = request.subscriber.code;
      response.locals.subscriber = request.subscriber.code;
    });
    await countRequest(this.counter, response, request.subscriber.id, this.limits);
    return true;
  }
}
