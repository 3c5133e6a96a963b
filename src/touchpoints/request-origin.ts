import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Origin } from '../audit/origin';
import type { TouchpointRequest } from './touchpoint-request';

/** Who asks, for the audit trail: the consumer whose token the request carries, else the touchpoint. */
export const RequestOrigin = createParamDecorator((_: unknown, context: ExecutionContext): Origin => {
  const { user, touchpoint, requestId } = context.switchToHttp().getRequest<TouchpointRequest>();
  return { actor: user ? 'consumer' : 'touchpoint', touchpoint: touchpoint.code, requestId };
});
