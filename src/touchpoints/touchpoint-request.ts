import type { ExecutionContext } from '@nestjs/common';
import type { ApiRequest } from '../platform/http/api-request';
import type { Touchpoint } from './touchpoint.entity';

/** A request whose touchpoint credential has been accepted. */
export interface TouchpointRequest extends ApiRequest {
  touchpoint: Touchpoint;
}

export const touchpointRequestOf = (context: ExecutionContext): TouchpointRequest =>
  context.switchToHttp().getRequest<TouchpointRequest>();

export const touchpointOf = (context: ExecutionContext): Touchpoint => touchpointRequestOf(context).touchpoint;
