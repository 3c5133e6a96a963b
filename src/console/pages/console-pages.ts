import { Injectable } from '@nestjs/common';
import type { Answer, ConsoleRequest, Handlers } from '../http/exchange';
import type { Route } from '../routes';
import { AuditPages } from './audit.pages';
import { ConsumerPages } from './consumer.pages';
import { KeyPages } from './key.pages';
import { MessagePages } from './message.pages';
import { OperatorPages } from './operator.pages';
import { OverviewPages } from './overview.pages';
import { RequestPages } from './request.pages';
import { SessionPages } from './session.pages';
import { SubscriberPages } from './subscriber.pages';
import { TouchpointPages } from './touchpoint.pages';

/** What answers each route. */
@Injectable()
export class ConsolePages {
  private readonly handlers: Handlers<Route>;

  constructor(
    overview: OverviewPages,
    touchpoints: TouchpointPages,
    consumers: ConsumerPages,
    requests: RequestPages,
    audit: AuditPages,
    messages: MessagePages,
    keys: KeyPages,
    operators: OperatorPages,
    sessions: SessionPages,
    subscribers: SubscriberPages,
  ) {
    this.handlers = {
      ...overview.handlers,
      ...touchpoints.handlers,
      ...consumers.handlers,
      ...requests.handlers,
      ...audit.handlers,
      ...messages.handlers,
      ...keys.handlers,
      ...operators.handlers,
      ...sessions.handlers,
      ...subscribers.handlers,
    };
  }

  async handle(route: Route, request: ConsoleRequest): Promise<Answer> {
    return this.handlers[route](request);
  }
}
