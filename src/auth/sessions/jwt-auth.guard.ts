import { createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import { ApiError } from '../../platform/errors/api-error';
import type { ApiRequest } from '../../platform/http/api-request';
import { judge } from '../../platform/http/standing';
import { bearerToken } from './bearer-token';
import { CUSTOMER_JWT } from './customer-jwt.strategy';
import type { SessionPrincipal } from './session-principal';
import { SessionsService } from './sessions.service';
import { VerifiedTokens } from './verified-tokens';

interface CustomerRequest extends ApiRequest {
  user?: SessionPrincipal;
}

/**
 * Admits a request only with a token of ours that has not expired. Whether its session is live is left to the route:
 * for one that asks with the statement it needs anyway.
 */
@Injectable()
export class CustomerTokenGuard extends AuthGuard(CUSTOMER_JWT) {
  constructor(private readonly verified: VerifiedTokens) {
    super();
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<CustomerRequest>();
    const token = bearerToken(request);
    const customer = token === null ? null : this.verified.find(token);
    if (!customer) return (await super.canActivate(context)) as boolean;
    request.user = customer;
    return true;
  }

  override handleRequest<T = SessionPrincipal>(
    error: unknown,
    customer: T | false,
    flaw: unknown,
    context: ExecutionContext,
  ): T {
    if (error) throw error as Error;
    if (customer) return customer;
    const { authorization = '' } = context.switchToHttp().getRequest<ApiRequest>().headers;
    const reason = reasonOf(flaw);
    throw /^Bearer\b/i.test(authorization)
      ? invalidToken(reason)
      : new ApiError('UNAUTHENTICATED', { refusal: { reason } });
  }
}

/** Admits a request only with the token of a live session (specification, section 5.2). */
@Injectable()
export class JwtAuthGuard extends CustomerTokenGuard {
  constructor(
    verified: VerifiedTokens,
    private readonly sessions: SessionsService,
  ) {
    super(verified);
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    await judge(context.switchToHttp().getRequest<ApiRequest>(), async () => {
      await super.canActivate(context);
      if (!(await this.sessions.isLive(customerOf(context)))) throw sessionEnded();
    });
    return true;
  }
}

/** What can be wrong with a token, as the trail keeps it. */
const FLAWS = [
  ...['No auth token', 'The token is not one of ours', 'invalid signature', 'invalid algorithm', 'jwt not active'],
  ...['jwt issuer invalid', 'foreign claims', 'expired'],
];

/** In words that no client can choose: a library may quote the token, or name a place in it. */
function reasonOf(flaw: unknown): string {
  const text = flaw instanceof Error ? flaw.message : String(flaw);
  return FLAWS.find((known) => text.startsWith(known)) ?? 'invalid token';
}

/** The refusal of a token that is as it should be, after its session has ended. */
export const sessionEnded = (): ApiError => invalidToken('the session has ended');

const invalidToken = (reason: string): ApiError =>
  new ApiError('UNAUTHENTICATED', {
    headers: { 'WWW-Authenticate': 'Bearer realm="customer", error="invalid_token"' },
    refusal: { reason },
  });

const customerOf = (context: ExecutionContext): SessionPrincipal =>
  context.switchToHttp().getRequest<{ user: SessionPrincipal }>().user;

/** The consumer who sent the request, and the session. */
export const CurrentCustomer = createParamDecorator((_: unknown, context: ExecutionContext) => customerOf(context));
