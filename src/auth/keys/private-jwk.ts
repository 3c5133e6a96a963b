import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { z } from 'zod';

const base64url = z.string().regex(/^[A-Za-z0-9_-]{43}$/);

/** Unknown members are kept, so that a rewritten file loses nothing. */
const privateKeySet = z.looseObject({
  keys: z
    .array(
      z.looseObject({
        kty: z.literal('EC'),
        crv: z.literal('P-256'),
        x: base64url,
        y: base64url,
        d: base64url,
        kid: z.string().min(1).optional(),
        signsFrom: z.iso.datetime({ offset: true }).optional(),
      }),
    )
    .min(1),
});

/** A private JWK Set (RFC 7517): the first key whose `signsFrom` has come signs, all verify. */
export type PrivateKeySet = z.infer<typeof privateKeySet>;

/** A private ES256 key; `signsFrom` (RFC 3339, absent: always) is an extra member of ours. */
export type PrivateJwk = PrivateKeySet['keys'][number];

/** A public key as `/.well-known/jwks.json` publishes it (RFC 7517). */
export interface PublicJwk {
  kty: 'EC';
  crv: 'P-256';
  x: string;
  y: string;
  kid: string;
  alg: 'ES256';
  use: 'sig';
}

export function newPrivateJwk(): PrivateJwk {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = privateKey.export({ format: 'jwk' }) as PrivateJwk;
  return { ...jwk, kid: kidOf(jwk), alg: 'ES256', use: 'sig' };
}

/** The key set in a file; throws if customer tokens cannot be signed with it. */
export function parsePrivateKeySet(text: string): PrivateKeySet {
  const set = privateKeySet.parse(JSON.parse(text));
  const kids = new Set(set.keys.map(kidOf));
  if (kids.size < set.keys.length || !set.keys.every(isPair)) throw new Error('The keys contradict each other');
  return set;
}

/** The key's own id, or its thumbprint (RFC 7638): the digest of its required members in lexical order. */
export function kidOf({ crv, kid, kty, x, y }: PrivateJwk): string {
  return kid ?? createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
}

export function publicJwk(jwk: PrivateJwk): PublicJwk {
  const { kty, crv, x, y } = jwk;
  return { kty, crv, x, y, kid: kidOf(jwk), alg: 'ES256', use: 'sig' };
}

export function keyObjects(jwk: PrivateJwk): { privateKey: KeyObject; publicKey: KeyObject } {
  return {
    privateKey: createPrivateKey({ key: jwk, format: 'jwk' }),
    publicKey: createPublicKey({ key: { ...publicJwk(jwk) }, format: 'jwk' }),
  };
}

/** Whether the public half verifies what the private half signs: a set edited by hand may mix two keys. */
function isPair(jwk: PrivateJwk): boolean {
  const { privateKey, publicKey } = keyObjects(jwk);
  return verify('sha256', Buffer.of(0), publicKey, sign('sha256', Buffer.of(0), privateKey));
}
