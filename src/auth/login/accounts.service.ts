import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { Clock } from '../../platform/clock';
import { prepared } from '../../platform/database/preparing-client';
import { Secrets } from '../../platform/secrets';
import { AttemptCounter, counting } from './attempt-counter';
import type { LoginIdentifier } from '../identifiers/login-identifier';

const FAILURES_PER_IDENTIFIER = 10;
const FAILURES_PER_ADDRESS = 100;

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
  /** The identifiers, as guessed at from this address; counted if the account knows the address. */
  home: Buffer[];
  identifiers: Buffer[];
  /** The address at the touchpoint; counted if all identifiers were. Empty without an address, as `home`. */
  address: Buffer[];
}

type FoundAndCounted = (Account | Record<keyof Account, null>) & { counted: Buffer[] };

const isAccount = (row: FoundAndCounted): row is Account & FoundAndCounted => row.consumerId !== null;

const findingAndCounting = (consumerId: string, source: string): string =>
  prepared(`WITH account AS (
    SELECT ${consumerId} AS "consumerId", c.password_hash AS "passwordHash", c.version AS "credentialVersion",
      EXISTS (
        SELECT 1 FROM known_address k
        WHERE k.consumer_id = ${consumerId} AND k.address_digest = ANY($1) AND k.last_login_at > $2
      ) AS "addressIsKnown"
    FROM ${source}),
  -- Each part that counts needs the one before, so that rows are locked in this order.
  home AS (${counting('$4::bytea[]', FAILURES_PER_IDENTIFIER, 7, '(SELECT "addressIsKnown" FROM account)')}),
  outside AS (${counting('$5::bytea[]', FAILURES_PER_IDENTIFIER, 7, '(SELECT count(*) FROM home) >= 0')}),
  address AS (
    ${counting('$6::bytea[]', FAILURES_PER_ADDRESS, 7, '(SELECT count(*) FROM outside) = cardinality($5::bytea[])')})
  SELECT account.*, ARRAY(
    SELECT key FROM home UNION ALL SELECT key FROM outside UNION ALL SELECT key FROM address) AS counted
  FROM (VALUES (1)) AS guess LEFT JOIN account ON true`);
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
    private readonly counter: AttemptCounter,
    private readonly clock: Clock,
  ) {}

  /**
   * Finds the account that a password is guessed of, and in the same statement counts the guess: `counted` are those of
   * the keys that were not full.
   */
  async findAndCount(
    { identifier: { kind, value }, address }: { identifier: LoginIdentifier; address: string | null },
    { home, identifiers, address: atAddress }: GuessKeys,
  ): Promise<{ account: Account | null; counted: Buffer[] }> {
    const digests = address === null ? [] : this.secrets.digests('consumer-address', address);
    const window = this.counter.window();
    const knownSince = new Date(window[0].getTime() - ADDRESS_MEMORY_MS);
    const values = [digests, knownSince, value, home, identifiers, atAddress, ...window];
    const [row] =
      kind === 'customerId'
        ? await this.dataSource.query<FoundAndCounted[]>(BY_CUSTOMER_ID, values)
        : await this.dataSource.query<FoundAndCounted[]>(BY_IDENTIFIER, [...values, kind]);
    return { account: row && isAccount(row) ? row : null, counted: row?.counted ?? [] };
  }

  /** The parameters of `rememberingAddress`. */
  rememberedAddress(address: string): unknown[] {
    return [this.secrets.digest('consumer-address', address), this.clock.now()];
  }
}
