import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { ApiRequest } from '../../platform/http/api-request';
import type { Subscriber } from './subscriber.entity';

/** A request whose subscriber credential has been accepted. */
export interface SubscriberRequest extends ApiRequest {
  subscriber: Subscriber;
}

export const subscriberRequestOf = (context: ExecutionContext): SubscriberRequest =>
  context.switchToHttp().getRequest<SubscriberRequest>();

/** Who sends the request, on a route with `ForSubscribers`. */
export const CurrentSubscriber = createParamDecorator(
  (_: unknown, context: ExecutionContext): Subscriber => subscriberRequestOf(context).subscriber,
);
