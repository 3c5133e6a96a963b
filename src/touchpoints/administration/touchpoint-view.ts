import type { IdentityProvider } from '../identity-providers/identity-provider.entity';
import type { TouchpointKey } from '../touchpoint-key.entity';
import type { Touchpoint } from '../touchpoint.entity';
import type { IssuedKey } from './touchpoints.service';
import { formatDuration } from '../../platform/values/duration';

/** A touchpoint as an administrator sees it: everything except keys. */
export function touchpointView(touchpoint: Touchpoint) {
  const { code, name, authenticationMode, channelProof, smsCountries, enabled, createdAt, updatedAt } = touchpoint;
  const { sessionMaxSeconds, sessionIdleSeconds } = touchpoint;
  return {
    code,
    name,
    authenticationMode,
    channelProof,
    smsCountries: smsCountries.length > 0 ? smsCountries : null,
    enabled,
    rateLimit: rateLimitView(touchpoint),
    sessionMax: termView(sessionMaxSeconds),
    sessionIdle: termView(sessionIdleSeconds),
    keys: newestFirst(touchpoint.keys).map(keyView),
    providers: providersView(touchpoint.identityProviders),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

/** The same with a new key, which is shown only once. */
export function issuedKeyView({ touchpoint, key }: IssuedKey) {
  const { code, ...rest } = touchpointView(touchpoint);
  return { code, key, ...rest };
}

function rateLimitView({ rateLimit, rateLimitSeconds }: Touchpoint): string {
  if (rateLimit === null || rateLimitSeconds === null) return 'default';
  return rateLimit === 0 ? 'unlimited' : `${rateLimit}/${rateLimitSeconds}`;
}

const termView = (seconds: number | null): string => (seconds === null ? 'default' : formatDuration(seconds));

const keyView = ({ hint, createdAt, lastUsedAt, expiresAt }: TouchpointKey) => ({
  hint,
  createdAt: createdAt.toISOString(),
  lastUsedAt: lastUsedAt?.toISOString() ?? null,
  expiresAt: expiresAt?.toISOString() ?? null,
});

/** Identity providers; of keys that are stored here, only their ids. */
export const providersView = (providers: IdentityProvider[]) => newestFirst(providers).map(providerView);

const providerView = ({ issuer, audience, jwksUri, jwks, trustsEmail, createdAt }: IdentityProvider) => ({
  issuer,
  audience,
  ...(jwks
    ? { keys: jwks.keys.map(({ kid, kty, alg }) => ({ kid: kid ?? null, kty, alg: alg ?? null })) }
    : { jwksUri }),
  trustEmail: trustsEmail,
  createdAt: createdAt.toISOString(),
});

const newestFirst = <T extends { createdAt: Date }>(all: T[]): T[] =>
  all.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
