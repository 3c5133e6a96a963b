import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiError } from '../platform/errors/api-error';

const RESERVED_ROUTE = 'reserved-route';

/** Marks a controller whose routes are part of the API's shape but not live yet (specification, section 4.3). */
export const Reserved = (): ClassDecorator => SetMetadata(RESERVED_ROUTE, true);

/** Refuses reserved routes right after the touchpoint credential: they use no allowance and read no body. */
@Injectable()
export class ReservedGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    if (this.reflector.get<boolean | undefined>(RESERVED_ROUTE, context.getClass()))
      throw new ApiError('NOT_IMPLEMENTED');
    return true;
  }
}
