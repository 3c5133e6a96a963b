import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import type { AppConfig } from '../settings/config';
import { randomSecret } from '../random';
import { readOrCreateSecretFile } from './secret-file';

/** The purpose of a derived key: keys of different purposes are unrelated (RFC 5869, `info`). */
export type KeyPurpose =
  | 'password-pepper'
  | 'login-attempt'
  | 'consumer-address'
  | 'message-payload'
  | 'verification-code'
  | 'send-limit'
  | 'idempotency'
  | 'webhook-secret';

/** One derived key and the name by which stored values refer to it. */
export interface DerivedKey {
  /** Eight hexadecimal characters that identify the key and say nothing about it. */
  name: string;
  key: Buffer;
}

/** The keys that are derived from `APP_SECRET`, one family for each secret, the current one first. */
@Injectable()
export class Secrets {
  private readonly secrets: string[];
  private readonly derived = new Map<KeyPurpose, DerivedKey[]>();

  constructor(config: AppConfig) {
    this.secrets = config.appSecrets ?? [
      readOrCreateSecretFile(join(config.dataDir, 'app-secret'), () => randomSecret(48).toString('base64url')).trim(),
    ];
  }

  /** The key for new values. */
  current(purpose: KeyPurpose): DerivedKey {
    const [first] = this.all(purpose);
    if (!first) throw new Error('APP_SECRET is empty');
    return first;
  }

  /** Every key that values may have been made with. */
  all(purpose: KeyPurpose): DerivedKey[] {
    const known = this.derived.get(purpose) ?? this.secrets.map((secret) => derive(secret, purpose));
    this.derived.set(purpose, known);
    return known;
  }

  /** A keyed digest: equal for equal values, and useless without `APP_SECRET`. */
  digest(purpose: KeyPurpose, value: string): Buffer {
    return hmac(this.current(purpose).key, value);
  }

  /** Every digest that `value` may have been stored under, to look it up by. */
  digests(purpose: KeyPurpose, value: string): Buffer[] {
    return this.all(purpose).map(({ key }) => hmac(key, value));
  }

  /** Whether `digest` is that of `value` under any accepted secret; compared in constant time. */
  matches(purpose: KeyPurpose, value: string, digest: Buffer): boolean {
    return this.digests(purpose, value).some((known) => timingSafeEqual(known, digest));
  }
}

const hmac = (key: Buffer, value: string): Buffer => createHmac('sha256', key).update(value).digest();

function derive(secret: string, purpose: KeyPurpose): DerivedKey {
  const bytes = (info: string, length: number) => Buffer.from(hkdfSync('sha256', secret, '', info, length));
  return { name: bytes(`${purpose}:name`, 4).toString('hex'), key: bytes(purpose, 48) };
}
