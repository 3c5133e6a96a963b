import { Injectable } from '@nestjs/common';
import type { Answer, ConsoleRequest, Handlers } from '../http/exchange';
import type { Route } from '../routes';
import { AuditPages } from './audit.pages';
import { ConsumerPages } from './consumer.pages';
import { OperatorPages } from './operator.pages';
import { OverviewPages } from './overview.pages';
import { SessionPages } from './session.pages';
import { TouchpointPages } from './touchpoint.pages';

/** What answers each route. */
@Injectable()
export class ConsolePages {
  private readonly handlers: Handlers<Route>;

  constructor(
    overview: OverviewPages,
    touchpoints: TouchpointPages,
    consumers: ConsumerPages,
    audit: AuditPages,
    operators: OperatorPages,
    sessions: SessionPages,
  ) {
    this.handlers = {
      ...overview.handlers,
      ...touchpoints.handlers,
      ...consumers.handlers,
      ...audit.handlers,
      ...operators.handlers,
      ...sessions.handlers,
    };
  }

  async handle(route: Route, request: ConsoleRequest): Promise<Answer> {
    return this.handlers[route](request);
  }
}
