import { compactVerify, errors } from 'jose';
import type { KeySet } from './provider-keys';

/** Only signatures that the issuer alone can make (RFC 7518 section 3.1, RFC 8037, RFC 9864). */
export const ASSERTION_ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

const options = { algorithms: ASSERTION_ALGORITHMS };

/** The bytes that one of these keys has signed, or what is wrong. */
export async function signedBytes(token: string, keys: KeySet): Promise<Uint8Array | 'unknown key' | 'bad signature'> {
  try {
    return (await compactVerify(token, keys, options)).payload;
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return 'unknown key';
    if (error instanceof errors.JWKSMultipleMatchingKeys) return signedByOneOf(token, error);
    // Also for a key that is too short or not a key: a mistake of the provider must not become an error of ours.
    return 'bad signature';
  }
}

async function signedByOneOf(
  token: string,
  keys: InstanceType<typeof errors.JWKSMultipleMatchingKeys>,
): Promise<Uint8Array | 'bad signature'> {
  for await (const key of keys) {
    try {
      return (await compactVerify(token, key, options)).payload;
    } catch {
      // Another key may fit.
    }
  }
  return 'bad signature';
}
