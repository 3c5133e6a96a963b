import { createPublicKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { TouchpointError } from '../administration/touchpoint.error';

const MAX_KEYS = 100;
const MIN_RSA_BITS = 2048;

const common = { kid: z.string().optional(), alg: z.string().optional(), use: z.literal('sig').optional() };
const publicKey = z.discriminatedUnion('kty', [
  z.object({ kty: z.literal('RSA'), n: z.string(), e: z.string(), ...common }),
  z.object({
    ...{ kty: z.literal('EC'), crv: z.enum(['P-256', 'P-384', 'P-521']), x: z.string(), y: z.string() },
    ...common,
  }),
  z.object({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.string(), ...common }),
]);

type PublicKey = z.infer<typeof publicKey>;

/** A JWK Set (RFC 7517) of public keys that can verify signatures. */
export interface PublicKeySet {
  keys: PublicKey[];
}

/** Private members of a JWK, which must not leave the signer (RFC 7518, section 6). */
const SECRET_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

const keySet = z.object({ keys: z.array(z.looseObject({})).min(1).max(MAX_KEYS) });

/** The public keys in a JWK Set, without members that nobody needs. */
export function parsePublicKeySet(text: string): PublicKeySet {
  const { success, data } = keySet.safeParse(parseJson(text));
  if (!success) throw new TouchpointError(`The key file must be a JWK Set of 1 to ${MAX_KEYS} keys`);
  return { keys: data.keys.map((jwk, index) => parsePublicKey(jwk, `Key ${index + 1} of the key file`)) };
}

function parsePublicKey(jwk: Record<string, unknown>, name: string): PublicKey {
  if (SECRET_MEMBERS.some((member) => member in jwk)) {
    throw new TouchpointError(`${name} is not public: name only the public halves of key pairs`);
  }
  const { success, data } = publicKey.safeParse(jwk);
  const key = success ? importKey(data) : null;
  if (!success || !key) {
    throw new TouchpointError(`${name} must be a signature key of type RSA, EC (P-256, P-384, P-521) or OKP (Ed25519)`);
  }
  if (data.kty === 'RSA' && (key.asymmetricKeyDetails?.modulusLength ?? 0) < MIN_RSA_BITS) {
    throw new TouchpointError(`${name} must have at least ${MIN_RSA_BITS} bits`);
  }
  return data;
}

function importKey(jwk: PublicKey): KeyObject | null {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    return null;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
