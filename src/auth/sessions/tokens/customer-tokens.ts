import { Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { isUUID } from 'class-validator';
import type { KeyObject } from 'node:crypto';
import { z } from 'zod';
import { AppConfig } from '../../../platform/settings/config';
import { Clock } from '../../../platform/clock';
import { JwtKeys } from '../../keys/jwt-keys';
import type { Session } from '../session.entity';
import type { SessionPrincipal } from '../session-principal';

export const TOKEN_ALGORITHM = 'ES256';
const TOKEN_TYPE = 'customer+jwt';

/** Replicas' clocks may differ by this much. */
const CLOCK_LEEWAY_SECONDS = 5;

const uuid = z.string().refine((value) => isUUID(value));
const time = z.number().int();
const claims = z.object({ sub: uuid, sid: uuid, exp: time, iat: time, auth_time: time.optional() });

/** When a token is issued and until when it is valid. */
export interface Validity {
  issuedAt: Date;
  expiresAt: Date;
}

/** Members of a header that would let a token choose its own key or demand extensions (RFC 8725, section 3.10). */
const header = z.object({
  alg: z.literal(TOKEN_ALGORITHM),
  typ: z.literal(TOKEN_TYPE),
  kid: z.string(),
  ...Object.fromEntries(['crit', 'jwk', 'jku', 'x5u', 'x5c'].map((name) => [name, z.never().optional()])),
});

/** Makes customer tokens, and makes the checks that the signature library leaves out. */
@Injectable()
export class CustomerTokens {
  constructor(
    private readonly jwt: JwtService,
    private readonly keys: JwtKeys,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  issue(
    { id, consumerId, createdAt }: Pick<Session, 'id' | 'consumerId' | 'createdAt'>,
    touchpointCode: string,
    { issuedAt, expiresAt }: Validity,
  ): string {
    const { kid, privateKey } = this.keys.signing;
    return this.jwt.sign(
      {
        iss: this.config.jwtIssuer,
        sub: consumerId,
        sid: id,
        azp: touchpointCode,
        // OpenID Connect Core 1.0, section 2: the login, however often the session is extended.
        auth_time: createdAt.getTime() / 1000,
        iat: issuedAt.getTime() / 1000,
        exp: expiresAt.getTime() / 1000,
      },
      // The signature library takes key objects, which its types hide.
      {
        privateKey: privateKey as unknown as string,
        algorithm: TOKEN_ALGORITHM,
        header: { alg: TOKEN_ALGORITHM, typ: TOKEN_TYPE, kid },
      },
    );
  }

  /** The key that a token's header names, or null when the header is not one of ours. */
  verificationKey(token: string): KeyObject | null {
    const { success, data } = header.safeParse(decodeHeader(token));
    return success ? (this.keys.find(data.kid)?.publicKey ?? null) : null;
  }

  /** Whom verified claims name and until when (in seconds since 1970), or what is wrong with them. */
  judge(payload: unknown): { principal: SessionPrincipal; expiresAt: number } | 'foreign claims' | 'expired' {
    const { success, data } = claims.safeParse(payload);
    if (!success) return 'foreign claims';
    const now = this.clock.epochMs() / 1000;
    const { sub, sid, exp, iat, auth_time = iat } = data;
    if (exp <= now) return 'expired';
    const isOurs = exp - iat <= this.config.jwtTtlSeconds && iat <= now + CLOCK_LEEWAY_SECONDS;
    const principal = { consumerId: sub, sessionId: sid, signedInAt: auth_time };
    return isOurs ? { principal, expiresAt: exp } : 'foreign claims';
  }
}

function decodeHeader(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token.split('.', 1)[0] ?? '', 'base64url').toString());
  } catch {
    return null;
  }
}
