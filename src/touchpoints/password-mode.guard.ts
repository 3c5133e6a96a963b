import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { ApiError } from '../platform/errors/api-error';
import type { ErrorCode } from '../platform/errors/error-catalog';
import { judge } from '../platform/http/standing';
import { AuthenticationMode } from './touchpoint.entity';
import { touchpointOf, touchpointRequestOf } from './touchpoint-request';

/** Admits only touchpoints in `PASSWORD` mode; others are refused before the body is read. */
export class PasswordModeGuard implements CanActivate {
  constructor(private readonly refusal: ErrorCode) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    await judge(touchpointRequestOf(context), () => {
      if (touchpointOf(context).authenticationMode !== AuthenticationMode.Password) throw new ApiError(this.refusal);
    });
    return true;
  }
}
