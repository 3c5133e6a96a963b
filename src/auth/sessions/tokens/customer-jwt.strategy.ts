import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy, type StrategyOptionsWithRequest } from 'passport-jwt';
import { AppConfig } from '../../../platform/settings/config';
import type { ApiRequest } from '../../../platform/http/api-request';
import { bearerToken } from './bearer-token';
import { CustomerTokens, TOKEN_ALGORITHM } from './customer-tokens';
import type { SessionPrincipal } from '../session-principal';
import { VerifiedTokens } from './verified-tokens';

export const CUSTOMER_JWT = 'customer-jwt';

/** Accepts a customer token that we signed and that has not expired. */
@Injectable()
export class CustomerJwtStrategy extends PassportStrategy(Strategy, CUSTOMER_JWT) {
  constructor(
    config: AppConfig,
    private readonly tokens: CustomerTokens,
    private readonly verified: VerifiedTokens,
  ) {
    super({
      jwtFromRequest: bearerToken,
      secretOrKeyProvider: (_request, token: string, done) => {
        const key = tokens.verificationKey(token);
        if (key) done(null, key as unknown as string);
        else done(new Error('The token is not one of ours'));
      },
      algorithms: [TOKEN_ALGORITHM],
      issuer: config.jwtIssuer,
      // Checked by our own clock, with the other claims.
      ignoreExpiration: true,
      passReqToCallback: true,
    } satisfies StrategyOptionsWithRequest);
  }

  validate(request: ApiRequest, payload: unknown): SessionPrincipal | [false, string] {
    const judged = this.tokens.judge(payload);
    if (typeof judged === 'string') return [false, judged];
    const { principal, expiresAt } = judged;
    this.verified.remember(bearerToken(request) ?? '', principal, expiresAt);
    return principal;
  }
}
