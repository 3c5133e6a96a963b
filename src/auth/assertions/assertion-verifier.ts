import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { z } from 'zod';
import { Clock } from '../../platform/clock';
import { ApiError } from '../../platform/errors/api-error';
import { type JsonObject, parseStrictJson } from '../../platform/http/body/strict-json';
import type { IdentityProvider } from '../../touchpoints/identity-providers/identity-provider.entity';
import { TouchpointCredentials } from '../../touchpoints/touchpoint-credentials';
import type { Touchpoint } from '../../touchpoints/touchpoint.entity';
import { ASSERTION_ALGORITHMS, signedBytes } from './assertion-signature';
import { isCompactToken } from '../sessions/tokens/compact-token';
import { ProviderKeys } from './provider-keys';

/** In seconds. */
const MAX_AGE = 600;
const CLOCK_LEEWAY = 30;

/** Members of a header by which an assertion would choose its own key (RFC 8725, section 3.10). */
const KEY_MEMBERS = ['jku', 'jwk', 'x5u', 'x5c'];

const claimsShape = z.object({
  sub: z.string().min(1).max(255),
  aud: z.union([z.string(), z.array(z.string())]),
  exp: z.number(),
  iat: z.number(),
  nbf: z.number().optional(),
});

/** What a trusted issuer says of a consumer whom it has authenticated. */
export interface Assertion {
  provider: IdentityProvider;
  subject: string;
  claims: JsonObject;
  /** SHA-256 of what was signed. */
  digest: Buffer;
  /** From this time on no replica accepts it. */
  expiresAt: Date;
}

/** Checks assertions: ID tokens (OpenID Connect Core, section 3.1.3.7) and those of backends (RFC 7523, section 3). */
@Injectable()
export class AssertionVerifier {
  constructor(
    private readonly keys: ProviderKeys,
    private readonly touchpoints: TouchpointCredentials,
    private readonly clock: Clock,
  ) {}

  /**
   * What the assertion says, if a provider that the touchpoint trusts made it for us; else `ASSERTION_INVALID`.
   * Fetching keys may take time: a touchpoint that was disabled meanwhile is refused (`TOUCHPOINT_UNAUTHORIZED`).
   */
  async verify(token: string, touchpoint: Touchpoint): Promise<Assertion> {
    const provider = this.providerOf(token, touchpoint.identityProviders);
    const payload = await this.signedPayload(token, provider, readUnverified(token).hasKid);
    const { identityProviders: trusted } = await this.touchpoints.requireEnabled(touchpoint.code);
    if (!trusted.some(({ id }) => id === provider.id)) throw invalid('unknown issuer');
    const claims = parsePayload(payload);
    const { sub: subject, exp, iat } = this.judge(claims, provider);
    const digest = createHash('sha256')
      .update(token.slice(0, token.lastIndexOf('.')))
      .digest();
    const expiresAt = new Date((Math.min(exp, iat + MAX_AGE) + CLOCK_LEEWAY) * 1000);
    return { provider, subject, claims, digest, expiresAt };
  }

  /** The provider that the assertion names, before its signature is checked. */
  providerOf(token: string, providers: IdentityProvider[]): IdentityProvider {
    const { issuer } = readUnverified(token);
    const provider = providers.find((candidate) => candidate.issuer === issuer);
    if (!provider) throw invalid('unknown issuer');
    return provider;
  }

  private async signedPayload(token: string, provider: IdentityProvider, hasKid: boolean): Promise<Uint8Array> {
    const source = this.keys.of(provider);
    const keys = await source.current();
    let payload = await signedBytes(token, keys);
    // Without a `kid` only the signature shows that the key is a new one.
    if (payload === 'unknown key' || (payload === 'bad signature' && !hasKid)) {
      const newer = await source.newerThan(keys);
      if (newer) payload = await signedBytes(token, newer);
    }
    if (typeof payload === 'string') throw invalid(payload);
    return payload;
  }

  private judge(claims: JsonObject, { issuer, audience }: IdentityProvider): z.infer<typeof claimsShape> {
    const { success, data, error } = claimsShape.safeParse(claims);
    if (!success) throw invalid(`claim ${String(error.issues[0]?.path[0])}`);
    const { aud, exp, iat, nbf = iat } = data;
    const now = this.clock.epochMs() / 1000;
    if (claims.iss !== issuer) throw invalid('unknown issuer');
    if (![aud].flat().includes(audience)) throw invalid('wrong audience');
    if (exp <= now) throw invalid('expired');
    if (now - iat > MAX_AGE) throw invalid('too old');
    if (Math.max(iat, nbf) > now + CLOCK_LEEWAY) throw invalid('from the future');
    return data;
  }
}

/** Checks the header before the signature; an assertion that names its own key is refused here. */
function readUnverified(token: string): { issuer: unknown; hasKid: boolean } {
  const { header, payload } = decode(token);
  if (!ASSERTION_ALGORITHMS.includes(String(header.alg))) throw invalid('algorithm not accepted');
  if (KEY_MEMBERS.some((member) => member in header)) throw invalid('header names a key');
  if ('crit' in header) throw invalid('critical header');
  // An issuer also signs tokens that prove no login, such as access tokens (RFC 8725, section 3.11).
  if (header.typ !== undefined && !/^(application\/)?jwt$/i.test(header.typ)) throw invalid('wrong type');
  return { issuer: payload.iss, hasKid: header.kid !== undefined };
}

function decode(token: string) {
  if (!isCompactToken(token)) throw invalid('unreadable');
  try {
    return { header: decodeProtectedHeader(token), payload: decodeJwt(token) };
  } catch (cause) {
    throw invalid('unreadable', cause);
  }
}

function parsePayload(bytes: Uint8Array): JsonObject {
  try {
    return parseStrictJson(Buffer.from(bytes));
  } catch (cause) {
    throw invalid('unreadable', cause);
  }
}

const invalid = (reason: string, cause?: unknown): ApiError =>
  new ApiError('ASSERTION_INVALID', { refusal: { reason }, cause });
