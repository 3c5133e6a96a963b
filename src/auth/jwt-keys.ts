import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { AppConfig, SettingsError } from '../platform/app-config';
import { readOrCreateSecretFile } from '../platform/secret-file';

const base64url = z.string().regex(/^[A-Za-z0-9_-]{43}$/);
const privateKeySet = z.object({
  keys: z
    .array(
      z.object({
        kty: z.literal('EC'),
        crv: z.literal('P-256'),
        x: base64url,
        y: base64url,
        d: base64url,
        kid: z.string().min(1).optional(),
      }),
    )
    .min(1),
});

type PrivateJwk = z.infer<typeof privateKeySet>['keys'][number];

/** A key that signs or verifies customer tokens. */
export interface JwtKey {
  kid: string;
  privateKey: KeyObject;
  publicKey: KeyObject;
}

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

/** The signing keys: the first signs, all verify. Keys are parsed once, since parsing costs more than verifying. */
@Injectable()
export class JwtKeys {
  readonly publicKeySet: { keys: PublicJwk[] };
  private readonly keys: JwtKey[];

  constructor(config: AppConfig) {
    const jwks = config.jwtKeysFile === undefined ? generatedKeys(config.dataDir) : readKeys(config.jwtKeysFile);
    this.keys = jwks.map(keyOf);
    this.publicKeySet = { keys: jwks.map(publicJwk) };
  }

  get signing(): JwtKey {
    const [first] = this.keys;
    if (!first) throw new Error('There is no signing key');
    return first;
  }

  find(kid: unknown): JwtKey | undefined {
    return this.keys.find((key) => key.kid === kid);
  }
}

function keyOf(jwk: PrivateJwk): JwtKey {
  const publicKey = createPublicKey({ key: { ...publicJwk(jwk) }, format: 'jwk' });
  return { kid: jwk.kid ?? thumbprint(jwk), privateKey: createPrivateKey({ key: jwk, format: 'jwk' }), publicKey };
}

function publicJwk(jwk: PrivateJwk): PublicJwk {
  const { kty, crv, x, y, kid = thumbprint(jwk) } = jwk;
  return { kty, crv, x, y, kid, alg: 'ES256', use: 'sig' };
}

/** Whether what one half signs the other verifies: a set that was mended by hand may hold halves of two keys. */
function isPair(jwk: PrivateJwk): boolean {
  const { privateKey, publicKey } = keyOf(jwk);
  return verify('sha256', Buffer.of(0), publicKey, sign('sha256', Buffer.of(0), privateKey));
}

/** A private JWK Set with one new ES256 key. */
function newPrivateKeySet(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = privateKey.export({ format: 'jwk' }) as PrivateJwk;
  return `${JSON.stringify({ keys: [{ ...jwk, kid: thumbprint(jwk), alg: 'ES256', use: 'sig' }] }, null, 2)}\n`;
}

function generatedKeys(dataDir: string): PrivateJwk[] {
  const path = join(dataDir, 'jwt-keys.json');
  readOrCreateSecretFile(path, newPrivateKeySet);
  return readKeys(path);
}

function readKeys(path: string): PrivateJwk[] {
  try {
    const { keys } = privateKeySet.parse(JSON.parse(readFileSync(path, 'utf8')));
    const kids = new Set(keys.map((jwk) => jwk.kid ?? thumbprint(jwk)));
    if (kids.size < keys.length || !keys.every(isPair)) throw new Error('The keys contradict each other');
    return keys;
  } catch (cause) {
    const reason =
      (cause as NodeJS.ErrnoException).code ??
      'it must be a JWK Set of private EC keys on P-256, each with a kid of its own';
    throw new SettingsError([`JWT_KEYS_FILE: ${path} cannot be used (${reason})`], { cause });
  }
}

/** RFC 7638: the digest of the key's required members in lexical order. */
function thumbprint({ crv, kty, x, y }: PrivateJwk): string {
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
}
