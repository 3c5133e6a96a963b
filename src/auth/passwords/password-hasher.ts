import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../platform/config';
import { HashingPool } from './hashing/hashing-pool';
import { randomSecret } from '../../platform/random';
import { type DerivedKey, Secrets } from '../../platform/secrets';
import { TouchpointCredentials } from '../../touchpoints/touchpoint-credentials';
import { passwordHashParts, pepperedHash } from './password-hash-format';
import { normalizePassword } from './password-policy';

export interface PasswordVerification {
  matches: boolean;
  /** The hash was made with another pepper or cost than today's. */
  outdated: boolean;
}

/**
 * Hashes passwords: bcrypt over base64(HMAC-SHA-384(pepper, password)), because bcrypt reads only 72 bytes. The stored
 * hash names its pepper; a plain bcrypt hash of another system is accepted too. A touchpoint that is disabled while its
 * hash waits for a thread is refused (`TOUCHPOINT_UNAUTHORIZED`).
 */
@Injectable()
export class PasswordHasher {
  private readonly decoy: string;

  constructor(
    private readonly pool: HashingPool,
    private readonly touchpoints: TouchpointCredentials,
    private readonly secrets: Secrets,
    private readonly config: AppConfig,
  ) {
    this.decoy = pepperedHash(this.pepper.name, this.bcryptPrefix + randomSecret(64).toString('hex').slice(0, 53));
  }

  async hash(touchpoint: string, password: string): Promise<string> {
    const hash = await this.pool.hash(touchpoint, prehash(this.pepper, password));
    await this.touchpoints.requireEnabled(touchpoint);
    return pepperedHash(this.pepper.name, hash);
  }

  /** Compares with the consumer's hash, or does the same work when there is none. */
  async verify(touchpoint: string, password: string, passwordHash: string | null): Promise<PasswordVerification> {
    const { pepperName, bcryptHash } = passwordHashParts(passwordHash ?? this.decoy);
    const pepper = this.secrets.all('password-pepper').find(({ name }) => name === pepperName);
    const secret = pepperName === null ? password : prehash(pepper ?? this.pepper, password);
    const equal = await this.pool.compare(touchpoint, secret, bcryptHash);
    await this.touchpoints.requireEnabled(touchpoint);
    return {
      matches: equal && passwordHash !== null,
      outdated: pepper !== this.pepper || !bcryptHash.startsWith(this.bcryptPrefix),
    };
  }

  private get pepper(): DerivedKey {
    return this.secrets.current('password-pepper');
  }

  private get bcryptPrefix(): string {
    return `$2b$${String(this.config.bcryptCost).padStart(2, '0')}$`;
  }
}

const prehash = (pepper: DerivedKey, password: string): string =>
  createHmac('sha384', pepper.key).update(normalizePassword(password)).digest('base64');
