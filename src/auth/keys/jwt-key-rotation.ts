import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../platform/settings/config';
import { MAX_JWT_TTL_SECONDS } from '../../platform/settings/environment';
import { Clock } from '../../platform/clock';
import { JwtKeysFile } from './jwt-keys-file';
import { signingIndex, supersededAt } from './key-succession';
import { kidOf, newPrivateJwk, type PrivateJwk } from './private-jwk';

/** A key as an administrator sees it: nothing private. */
export interface ListedJwtKey {
  kid: string;
  /** `next` will sign, `verifying` has signed. */
  state: 'next' | 'signing' | 'verifying';
  signsFrom: string | null;
  /** When the last token of the key will have expired; null when that is not known. */
  neededUntil: string | null;
}

/** The result of `generate`. */
export interface GeneratedJwtKey {
  kid: string;
  keys: ListedJwtKey[];
  /** Ids of keys that are no longer needed. */
  dropped: string[];
}

/** Administers the keys of customer tokens in their file, from which the services read them. */
@Injectable()
export class JwtKeyRotation {
  constructor(
    private readonly file: JwtKeysFile,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  async list(): Promise<ListedJwtKey[]> {
    return this.listed(this.file.parse(await this.file.read()).keys);
  }

  /** Adds a key that signs after `overlapSeconds`, when every replica has read it; the very first key signs at once. */
  async generate(overlapSeconds: number): Promise<GeneratedJwtKey> {
    const key = newPrivateJwk();
    const kid = kidOf(key);
    const dropped: string[] = [];
    this.file.createIfMissing(key);
    const { keys } = await this.file.change((set) => {
      if (set.keys.some((known) => kidOf(known) === kid)) return set;
      const signsFrom = new Date(this.clock.epochMs() + overlapSeconds * 1000).toISOString();
      dropped.push(...set.keys.filter((_, index) => this.isUseless(set.keys, index)).map(kidOf));
      return { ...set, keys: [{ ...key, signsFrom }, ...set.keys.filter((known) => !dropped.includes(kidOf(known)))] };
    });
    return { kid, keys: this.listed(keys), dropped };
  }

  private listed(keys: PrivateJwk[]): ListedJwtKey[] {
    const signing = signingIndex(keys, this.clock.epochMs());
    return keys.map((key, index) => {
      const superseded = supersededAt(keys, index);
      return {
        kid: kidOf(key),
        state: index < signing ? 'next' : index === signing ? 'signing' : 'verifying',
        signsFrom: key.signsFrom ?? null,
        neededUntil: superseded === null ? null : new Date(superseded + this.config.jwtTtlSeconds * 1000).toISOString(),
      };
    });
  }

  /** Uses the longest possible lifetime: the services may have another `JWT_TTL_SECONDS` than this command. */
  private isUseless(keys: PrivateJwk[], index: number): boolean {
    const superseded = supersededAt(keys, index);
    return superseded !== null && superseded + MAX_JWT_TTL_SECONDS * 1000 < this.clock.epochMs();
  }
}
