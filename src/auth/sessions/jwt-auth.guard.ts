import { createParamDecorator, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import { ApiError } from '../../platform/errors/api-error';
import type { ApiRequest } from '../../platform/http/api-request';
import { judge } from '../../platform/http/standing';
import type { TouchpointRequest } from '../../touchpoints/touchpoint-request';
import { bearerToken } from './tokens/bearer-token';
import { SignedInCaller } from './caller';
import { invalidToken, sessionEnded } from './tokens/invalid-token';
import { CUSTOMER_JWT } from './tokens/customer-jwt.strategy';
import type { SessionPrincipal, UncheckedSession } from './session-principal';
import { SessionUses } from './session-uses';
import { SessionsService } from './sessions.service';
import { VerifiedTokens } from './tokens/verified-tokens';

interface CustomerRequest extends TouchpointRequest {
  /** Whom a valid token names. */
  user?: SessionPrincipal;
  hasLiveSession?: boolean;
}

const ASKS_FOR_SESSION_ITSELF = 'asksForSessionItself';

/**
 * For a route whose own statement asks whether the session is live: `JwtAuthGuard` judges the token only, and the
 * handler gets an `UncheckedSession`.
 */
export const AsksForSessionItself = (): MethodDecorator => SetMetadata(ASKS_FOR_SESSION_ITSELF, true);

/** Admits a request only with the token of a live session (specification, section 5.2). */
@Injectable()
export class JwtAuthGuard extends AuthGuard(CUSTOMER_JWT) {
  constructor(
    private readonly verified: VerifiedTokens,
    private readonly sessions: SessionsService,
    private readonly uses: SessionUses,
    private readonly reflector: Reflector,
  ) {
    super();
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = requestOf(context);
    if (this.reflector.get<boolean | undefined>(ASKS_FOR_SESSION_ITSELF, context.getHandler())) {
      await this.requireToken(request, context);
      return true;
    }
    await judge(request, async () => {
      if (!(await this.sessions.isLive(await this.requireToken(request, context)))) throw sessionEnded();
      request.hasLiveSession = true;
    });
    return true;
  }

  private async requireToken(request: CustomerRequest, context: ExecutionContext): Promise<SessionPrincipal> {
    const token = bearerToken(request);
    const known = token === null ? null : this.verified.find(token);
    if (known) request.user = known;
    else await super.canActivate(context);
    const holder = tokenHolder(request);
    this.uses.note(holder);
    return holder;
  }

  override handleRequest<T = SessionPrincipal>(
    error: unknown,
    principal: T | false,
    flaw: unknown,
    context: ExecutionContext,
  ): T {
    if (error) throw error as Error;
    if (principal) return principal;
    const { authorization = '' } = context.switchToHttp().getRequest<ApiRequest>().headers;
    const reason = reasonOf(flaw);
    throw /^Bearer\b/i.test(authorization)
      ? invalidToken(reason)
      : new ApiError('UNAUTHENTICATED', { refusal: { reason } });
  }
}

/** What can be wrong with a token, as the audit trail records it. */
const FLAWS = [
  ...['No auth token', 'The token is not one of ours', 'invalid signature', 'invalid algorithm', 'jwt not active'],
  ...['jwt issuer invalid', 'foreign claims', 'expired'],
];

/** In our own words: a library's message may quote the token. */
function reasonOf(flaw: unknown): string {
  const text = flaw instanceof Error ? flaw.message : String(flaw);
  return FLAWS.find((known) => text.startsWith(known)) ?? 'invalid token';
}

const requestOf = (context: ExecutionContext): CustomerRequest => context.switchToHttp().getRequest<CustomerRequest>();

function tokenHolder({ user }: CustomerRequest): SessionPrincipal {
  if (!user) throw new Error('JwtAuthGuard does not stand before this route');
  return user;
}

/** Who sends the request, on a route behind `JwtAuthGuard`. */
export const CurrentSignedInCaller = createParamDecorator((_: unknown, context: ExecutionContext): SignedInCaller => {
  const request = requestOf(context);
  if (!request.hasLiveSession) throw new Error('Nobody has checked that the session is live');
  return new SignedInCaller(request, tokenHolder(request));
});

/** On a route that `AsksForSessionItself`: whom the token names. */
export const CurrentToken = createParamDecorator((_: unknown, context: ExecutionContext): UncheckedSession => ({
  principal: tokenHolder(requestOf(context)),
}));
