import { createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import { ApiError } from '../platform/errors/api-error';
import type { ApiRequest } from '../platform/http/api-request';
import { CUSTOMER_JWT } from './customer-jwt.strategy';
import type { Customer } from './sessions.service';

/** Admits a request only with the token of a live session (specification, section 5.2). */
@Injectable()
export class JwtAuthGuard extends AuthGuard(CUSTOMER_JWT) {
  override handleRequest<T = Customer>(
    error: unknown,
    customer: T | false,
    flaw: unknown,
    context: ExecutionContext,
  ): T {
    if (error) throw error as Error;
    if (customer) return customer;
    const { authorization = '' } = context.switchToHttp().getRequest<ApiRequest>().headers;
    const sentToken = /^Bearer\b/i.test(authorization);
    throw new ApiError('UNAUTHENTICATED', {
      headers: sentToken ? { 'WWW-Authenticate': 'Bearer realm="customer", error="invalid_token"' } : {},
      refusal: { reason: flaw instanceof Error ? flaw.message : String(flaw) },
    });
  }
}

/** The consumer who sent the request, and the session. */
export const CurrentCustomer = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<{ user: Customer }>().user,
);
