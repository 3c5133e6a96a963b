import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../platform/settings/config';
import { HashingPool } from './hashing/hashing-pool';
import { randomSecret } from '../../platform/random';
import { type DerivedKey, Secrets } from '../../platform/secrets/secrets';
import { TouchpointCredentials } from '../../touchpoints/touchpoint-credentials';
import { parseForeignHash } from './foreign-hash';
import { bcryptCost, passwordHashParts, pepperedHash } from './password-hash-format';
import { normalizePassword } from './password-policy';

export interface PasswordVerification {
  matches: boolean;
  /** The hash was made with another pepper or cost than today's. */
  outdated: boolean;
}

/**
 * Hashes passwords: bcrypt over base64(HMAC-SHA-384(pepper, password)), because bcrypt reads only 72 bytes. The stored
 * hash names its pepper; a hash of another system is accepted too, and made no cheaper to guess at than ours. A touchpoint
 * that is disabled while its hash waits for a thread is refused (`TOUCHPOINT_UNAUTHORIZED`).
 */
@Injectable()
export class PasswordHasher {
  /** Of the decoys. */
  private readonly saltAndHash: string;

  constructor(
    private readonly pool: HashingPool,
    private readonly touchpoints: TouchpointCredentials,
    private readonly secrets: Secrets,
    private readonly config: AppConfig,
  ) {
    this.saltAndHash = randomSecret(64).toString('hex').slice(0, 53);
  }

  async hash(touchpoint: string, password: string): Promise<string> {
    const hash = await this.pool.hash(touchpoint, prehash(this.pepper, password));
    await this.touchpoints.requireEnabled(touchpoint);
    return pepperedHash(this.pepper.name, hash);
  }

  /** Compares with the consumer's hash, or does the same work when there is none. */
  async verify(touchpoint: string, password: string, passwordHash: string | null): Promise<PasswordVerification> {
    const own = pepperedHash(this.pepper.name, this.decoy(this.config.bcryptCost));
    const { pepperName, unpeppered } = passwordHashParts(passwordHash ?? own);
    const pepper = this.secrets.all('password-pepper').find(({ name }) => name === pepperName);
    const secret = pepperName === null ? password : prehash(pepper ?? this.pepper, password);
    const hash = parseForeignHash(unpeppered) ?? unpeppered;
    const equal = await this.pool.compare(touchpoint, secret, hash, this.decoysBeside(unpeppered));
    await this.touchpoints.requireEnabled(touchpoint);
    return {
      matches: equal && passwordHash !== null,
      outdated: pepper !== this.pepper || !unpeppered.startsWith(bcryptPrefix(this.config.bcryptCost)),
    };
  }

  private get pepper(): DerivedKey {
    return this.secrets.current('password-pepper');
  }

  private decoy(cost: number): string {
    return bcryptPrefix(cost) + this.saltAndHash;
  }

  /**
   * With which a wrong password takes at least as long as it does with a hash of ours: costs that add up to ours beside a
   * cheaper bcrypt hash, since each doubles the work of the one before, and our own beside what cannot be compared with it.
   */
  private decoysBeside(hash: string): string[] {
    const ours = this.config.bcryptCost;
    const cost = bcryptCost(hash);
    if (cost === null) return [this.decoy(ours)];
    return Array.from({ length: Math.max(0, ours - cost) }, (_, index) => this.decoy(cost + index));
  }
}

const bcryptPrefix = (cost: number): string => `$2b$${String(cost).padStart(2, '0')}$`;

const prehash = (pepper: DerivedKey, password: string): string =>
  createHmac('sha384', pepper.key).update(normalizePassword(password)).digest('base64');
