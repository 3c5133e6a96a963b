import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Origin } from '../audit/origin';
import type { TouchpointRequest } from './touchpoint-request';

/** Who asks, for the audit trail: the consumer whose token the request carries, else the touchpoint. */
export const originOf = ({ user, touchpoint, requestId }: TouchpointRequest): Origin => ({
  actor: user ? 'consumer' : 'touchpoint',
  touchpoint: touchpoint.code,
  requestId,
});

export const RequestOrigin = createParamDecorator((_: unknown, context: ExecutionContext) =>
  originOf(context.switchToHttp().getRequest<TouchpointRequest>()),
);
