import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { Clock } from '../platform/clock';
import { prepared } from '../platform/database/preparing-client';
import { Secrets } from '../platform/secrets';
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

const accountColumns = (consumerId: string) => `
  ${consumerId} AS "consumerId", c.password_hash AS "passwordHash", c.version AS "credentialVersion",
  EXISTS (
    SELECT 1 FROM known_address k
    WHERE k.consumer_id = ${consumerId} AND k.address_digest = ANY($1) AND k.last_login_at > $2
  ) AS "addressIsKnown"`;
const BY_IDENTIFIER = prepared(`
  SELECT ${accountColumns('i.consumer_id')}
  FROM identifier i
  LEFT JOIN credential c ON c.consumer_id = i.consumer_id
  WHERE i.value = $3 AND i.kind = $4 AND NOT i.pending`);
const BY_CUSTOMER_ID = prepared(`
  SELECT ${accountColumns('c.consumer_id')}
  FROM credential c
  WHERE c.consumer_id = $3`);

/**
 * For a statement that logs in: the part of its `WITH` that remembers from where the consumers of `opened` come, if the
 * parameters from `first` on, which are `rememberedAddress`, tell.
 */
export const rememberingAddress = (opened: string, first: number): string => `
    remembered AS (
      INSERT INTO known_address (consumer_id, address_digest, last_login_at)
      SELECT consumer_id, $${first}::bytea, $${first + 1}::timestamptz FROM ${opened} WHERE $${first}::bytea IS NOT NULL
      ON CONFLICT (consumer_id, address_digest) DO UPDATE SET last_login_at = excluded.last_login_at)`;

/** Finds accounts by what a consumer logs in with, and remembers from where. */
@Injectable()
export class AccountsService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
  ) {}

  async find({ kind, value }: LoginIdentifier, address: string | null): Promise<Account | null> {
    const digests = address === null ? [] : this.secrets.digests('consumer-address', address);
    const knownSince = new Date(this.clock.epochMs() - ADDRESS_MEMORY_MS);
    const rows =
      kind === 'customerId'
        ? await this.dataSource.query<Account[]>(BY_CUSTOMER_ID, [digests, knownSince, value])
        : await this.dataSource.query<Account[]>(BY_IDENTIFIER, [digests, knownSince, value, kind]);
    return rows[0] ?? null;
  }

  /** The parameters of `rememberingAddress`. */
  rememberedAddress(address: string | null): unknown[] {
    const digest = address === null ? null : this.secrets.digest('consumer-address', address);
    return [digest, this.clock.now()];
  }
}
