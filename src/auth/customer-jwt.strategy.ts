import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy, type StrategyOptionsWithoutRequest } from 'passport-jwt';
import { AppConfig } from '../platform/app-config';
import type { ApiRequest } from '../platform/http/api-request';
import { CustomerTokens, TOKEN_ALGORITHM } from './customer-tokens';
import { type Customer, SessionsService } from './sessions.service';

export const CUSTOMER_JWT = 'customer-jwt';

const BEARER = /^Bearer +([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+) *$/i;

/** The token of exactly one `Authorization: Bearer` header (RFC 6750, section 2.1). */
function bearerToken({ headersDistinct }: ApiRequest): string | null {
  const [authorization, ...others] = headersDistinct.authorization ?? [];
  return others.length === 0 ? (BEARER.exec(authorization ?? '')?.[1] ?? null) : null;
}

/** Accepts a customer token that we signed, that has not expired and whose session is live. */
@Injectable()
export class CustomerJwtStrategy extends PassportStrategy(Strategy, CUSTOMER_JWT) {
  constructor(
    config: AppConfig,
    private readonly tokens: CustomerTokens,
    private readonly sessions: SessionsService,
  ) {
    super({
      jwtFromRequest: (request) => bearerToken(request as ApiRequest),
      secretOrKeyProvider: (_request, token: string, done) => {
        const key = tokens.verificationKey(token);
        if (key) done(null, key as unknown as string);
        else done(new Error('The token is not one of ours'));
      },
      algorithms: [TOKEN_ALGORITHM],
      issuer: config.jwtIssuer,
      // Judged by our own clock, with the other claims.
      ignoreExpiration: true,
    } satisfies StrategyOptionsWithoutRequest);
  }

  async validate(payload: unknown): Promise<Customer | [false, string]> {
    const customer = this.tokens.customerOf(payload);
    if (typeof customer === 'string') return [false, customer];
    return (await this.sessions.isLive(customer)) ? customer : [false, 'the session has ended'];
  }
}
