import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { Clock } from '../platform/clock';
import { prepared } from '../platform/database/preparing-client';
import { Secrets } from '../platform/secrets';
import { counting, countingValues } from './attempt-counter';
import type { LoginIdentifier } from './login-identifier';

/** Addresses are known for 30 days after the last login from them. */
export const ADDRESS_MEMORY_MS = 30 * 24 * 3_600_000;

/** What a login needs to know of a consumer. */
export interface Account {
  consumerId: string;
  passwordHash: string | null;
  credentialVersion: number | null;
  addressIsKnown: boolean;
}

/** What a guess at an account's password is counted at, as keys of `AttemptCounter`. */
export interface GuessKeys {
  fromKnownAddress: Buffer[];
  fromElsewhere: Buffer[];
}

/** A row for each key that was counted, or one without. */
type FoundAndCounted = (Account | Record<keyof Account, null>) & { countedKey: Buffer | null };

const isAccount = (row: FoundAndCounted): row is Account & FoundAndCounted => row.consumerId !== null;

const findingAndCounting = (consumerId: string, source: string): string =>
  prepared(`WITH account AS (
    SELECT ${consumerId} AS "consumerId", c.password_hash AS "passwordHash", c.version AS "credentialVersion",
      EXISTS (
        SELECT 1 FROM known_address k
        WHERE k.consumer_id = ${consumerId} AND k.address_digest = ANY($1) AND k.last_login_at > $2
      ) AS "addressIsKnown"
    FROM ${source}),
  counted AS (
    ${counting('CASE WHEN (SELECT "addressIsKnown" FROM account) THEN $4::bytea[] ELSE $5::bytea[] END', 6)})
  SELECT account.*, counted.key AS "countedKey"
  FROM (VALUES (1)) AS guess LEFT JOIN account ON true LEFT JOIN counted ON true`);
const BY_CUSTOMER_ID = findingAndCounting('c.consumer_id', 'credential c WHERE c.consumer_id = $3');
const BY_IDENTIFIER = findingAndCounting(
  'i.consumer_id',
  `identifier i LEFT JOIN credential c ON c.consumer_id = i.consumer_id
    WHERE i.value = $3 AND i.kind = $9 AND NOT i.pending`,
);

/**
 * For a statement that logs in: the part of its `WITH` that remembers from where the consumers of `opened` come; the
 * parameters from `first` on are `rememberedAddress`.
 */
export const rememberingAddress = (opened: string, first: number): string => `
    remembered AS (
      INSERT INTO known_address (consumer_id, address_digest, last_login_at)
      SELECT consumer_id, $${first}::bytea, $${first + 1}::timestamptz FROM ${opened}
      ON CONFLICT (consumer_id, address_digest) DO UPDATE SET last_login_at = excluded.last_login_at)`;

/** Finds accounts by what a consumer logs in with, counts guesses at them, and remembers from where they are used. */
@Injectable()
export class AccountsService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
  ) {}

  /**
   * Finds the account that a password is guessed of, and in the same statement counts the guess: `counted` are those of
   * the keys that were not full.
   */
  async findAndCount(
    { identifier: { kind, value }, address }: { identifier: LoginIdentifier; address: string | null },
    { fromKnownAddress, fromElsewhere }: GuessKeys,
    limit: number,
  ): Promise<{ account: Account | null; counted: Buffer[] }> {
    const digests = address === null ? [] : this.secrets.digests('consumer-address', address);
    const now = this.clock.now();
    const knownSince = new Date(now.getTime() - ADDRESS_MEMORY_MS);
    const values = [digests, knownSince, value, fromKnownAddress, fromElsewhere, ...countingValues(now, limit)];
    const rows =
      kind === 'customerId'
        ? await this.dataSource.query<FoundAndCounted[]>(BY_CUSTOMER_ID, values)
        : await this.dataSource.query<FoundAndCounted[]>(BY_IDENTIFIER, [...values, kind]);
    return {
      account: rows.find(isAccount) ?? null,
      counted: rows.flatMap(({ countedKey }) => countedKey ?? []),
    };
  }

  /** The parameters of `rememberingAddress`. */
  rememberedAddress(address: string): unknown[] {
    return [this.secrets.digest('consumer-address', address), this.clock.now()];
  }
}
