import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { ApiError } from '../../platform/errors/api-error';
import { judge } from '../../platform/http/standing';
import { touchpointOf, touchpointRequestOf } from '../touchpoint-request';

/** Admits only touchpoints that trust an identity provider; others are refused before the body is read. */
export class IdentityProviderGuard implements CanActivate {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    await judge(touchpointRequestOf(context), () => {
      if (touchpointOf(context).identityProviders.length === 0) throw new ApiError('IDENTIFY_NOT_ALLOWED');
    });
    return true;
  }
}
