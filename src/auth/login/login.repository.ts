import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import type { DataSource, EntityManager } from 'typeorm';
import type { AuditEvent } from '../../audit/audit-event';
import { recordedFrom } from '../../audit/audit-event.repository';
import { type PendingEvent, startedFrom } from '../../events/log/pending-event.repository';
import { deleteInBatches } from '../../platform/database/batches';
import { run, runPrepared } from '../../platform/database/statement';
import { holderOf } from '../identifiers/identifier.repository';
import type { LoginIdentifier } from '../identifiers/login-identifier';
import { holderOfPassword, passwordOf, passwordOfHolder, type PasswordRow } from '../passwords/credential.repository';
import { newSessionOf } from '../sessions/session.repository';
import type { Session } from '../sessions/session.entity';

const FAILURES_PER_IDENTIFIER = 10;
const FAILURES_PER_ADDRESS = 100;

/** The account that somebody tries to log in to. */
export interface Account extends PasswordRow {
  addressIsKnown: boolean;
}

/** The keys of `login_attempt` at which a guess is counted. */
export interface GuessKeys {
  /** The identifiers, as guessed at from this address; counted if the account knows the address. */
  home: Buffer[];
  identifiers: Buffer[];
  /** The address at the touchpoint; counted if all identifiers were. Like `home`, empty without an address. */
  address: Buffer[];
}

/** A session to be opened, and its event for subscribers. */
interface Opening {
  session: Session;
  started: PendingEvent;
}

/** What a right guess undoes. */
export interface GuessSettlement {
  /** The key whose count ends. */
  cleared: Buffer;
  /** The keys at which only this guess is taken back: an identifier, then an address. */
  takenBack: Buffer[];
}

/** A consumer's network address, as keyed digests: that of today's secret first. */
export interface AddressDigests {
  digests: Buffer[];
  /** Logins from it before this time are forgotten. */
  knownSince: Date;
}

interface Window {
  now: Date;
  end: Date;
}

type FoundAndCounted = (Account | Record<keyof Account, null>) & { counted: Buffer[] };

const isAccount = (row: FoundAndCounted): row is Account & FoundAndCounted => row.consumerId !== null;

/** Every statement on `login_attempt` and `known_address`. */
@Injectable()
export class LoginRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * Finds the account and counts the guess in one statement; `counted` are the keys that had room for it. Each part that
   * counts reads the one before, so that rows are always locked in this order.
   */
  async findAccountAndCountGuess(
    { kind, value }: LoginIdentifier,
    { digests, knownSince }: AddressDigests,
    { home, identifiers, address }: GuessKeys,
    window: Window,
  ): Promise<{ account: Account | null; counted: Buffer[] }> {
    const found = kind === 'customerId' ? passwordOf(value) : passwordOfHolder(holderOf(kind, value));
    const [row] = await runPrepared<FoundAndCounted>(
      this.dataSource,
      sql`WITH account AS (
          SELECT found.*, NOT found."isDisabled" AND EXISTS (
            SELECT 1 FROM known_address k
            WHERE k.consumer_id = found."consumerId" AND k.address_digest = ANY(${digests}) AND k.last_login_at > ${knownSince}
          ) AS "addressIsKnown"
          FROM (${found}) AS found),
        home AS (${counting(home, FAILURES_PER_IDENTIFIER, window, sql`(SELECT "addressIsKnown" FROM account)`)}),
        outside AS (
          ${counting(identifiers, FAILURES_PER_IDENTIFIER, window, sql`(SELECT count(*) FROM home) >= 0`)}),
        address AS (
          ${counting(address, FAILURES_PER_ADDRESS, window, sql`(SELECT count(*) FROM outside) = ${identifiers.length}`)})
        SELECT account.*, ARRAY(
          SELECT key FROM home UNION ALL SELECT key FROM outside UNION ALL SELECT key FROM address) AS counted
        FROM (VALUES (1)) AS guess LEFT JOIN account ON true`,
    );
    return { account: row && isAccount(row) ? row : null, counted: row?.counted ?? [] };
  }

  /**
   * Opens the session after a right password; false when the password has changed since. The same statement settles the
   * guess in either case; when the session opens, it also remembers the address and records the login.
   */
  async openSession(
    { session, started }: Opening,
    credentialVersion: number,
    settlement: GuessSettlement,
    addressDigest: Buffer | null,
    record: AuditEvent,
  ): Promise<boolean> {
    const holder = holderOfPassword(session.consumerId, credentialVersion);
    const told = sql`told AS (${startedFrom('opened', started)})`;
    const parts = [sql`opened AS (${newSessionOf(holder, session)})`, ...settling(settlement), told];
    if (addressDigest) parts.push(sql`remembered AS (${remembering(addressDigest, record.occurredAt)})`);
    const opened = await runPrepared(
      this.dataSource,
      sql`WITH ${join(parts)} ${recordedFrom('opened', record)} RETURNING id`,
    );
    return opened.length > 0;
  }

  /** When the last window of these keys ends, if there is one. */
  async endOfWindow(keys: Buffer[]): Promise<Date | null> {
    const [row] = await run<{ end: Date | null }>(
      this.dataSource,
      sql`SELECT max(window_ends_at) AS end FROM login_attempt WHERE key = ANY(${keys})`,
    );
    return row?.end ?? null;
  }

  /** Takes back one guess at each key. */
  async takeBackGuess(keys: Buffer[]): Promise<void> {
    await Promise.all(keys.map((key) => runPrepared(this.dataSource, takingBack(key))));
  }

  async settleGuess(settlement: GuessSettlement): Promise<void> {
    await runPrepared(this.dataSource, sql`WITH ${join(settling(settlement))} SELECT 1`);
  }

  /** Ends the count of every key, in the order in which a guess locks them. */
  async forgetGuesses(manager: EntityManager, keys: Buffer[]): Promise<void> {
    await run(
      manager,
      sql`DELETE FROM login_attempt
        WHERE key IN (SELECT key FROM login_attempt WHERE key = ANY(${keys}) ORDER BY key FOR UPDATE)`,
    );
  }

  /** Counts one guess at a code, whichever code it is; false when the key has no room for it. */
  async countCodeGuess(key: Buffer, limit: number, window: Window): Promise<boolean> {
    const counted = await run(this.dataSource, counting([key], limit, window, sql`true`));
    return counted.length > 0;
  }

  async findKnownAddresses(
    manager: EntityManager,
    consumerId: string,
  ): Promise<{ addressDigest: Buffer; lastLoginAt: Date }[]> {
    return run<{ addressDigest: Buffer; lastLoginAt: Date }>(
      manager,
      sql`SELECT address_digest AS "addressDigest", last_login_at AS "lastLoginAt" FROM known_address
        WHERE consumer_id = ${consumerId} ORDER BY last_login_at`,
    );
  }

  /** Answers how many addresses there were. */
  deleteKnownAddressesOf(manager: EntityManager, consumerId: string): Promise<number> {
    return deleteInBatches(manager, 'known_address', 'consumer_id', consumerId);
  }
}

/**
 * Counts one guess at each key if `condition` holds, and answers the keys that were below `limit`. The conditional update
 * decides, so that guesses in parallel do not exceed the limit.
 */
function counting(keys: Buffer[], limit: number, { now, end }: Window, condition: Sql): Sql {
  // A count that is back at 0 starts anew: its old window would tell others of the guesses that were taken back.
  const isOver = sql`(known.failures = 0 OR known.window_ends_at <= ${now}::timestamptz)`;
  return sql`INSERT INTO login_attempt AS known (key, failures, window_ends_at)
    SELECT key, 1, ${end}::timestamptz FROM unnest(${keys}::bytea[]) AS given (key) WHERE ${condition} ORDER BY key
    ON CONFLICT (key) DO UPDATE SET
      failures = CASE WHEN ${isOver} THEN 1 ELSE known.failures + 1 END,
      window_ends_at = CASE WHEN ${isOver} THEN ${end}::timestamptz ELSE known.window_ends_at END
    WHERE known.failures < ${limit} OR ${isOver}
    RETURNING key`;
}

const ending = (key: Buffer): Sql => sql`DELETE FROM login_attempt WHERE key = ${key}::bytea RETURNING key`;

const takingBack = (key: Buffer, after = empty): Sql =>
  sql`UPDATE login_attempt SET failures = failures - 1 WHERE key = ${key}::bytea AND failures > 0 ${after} RETURNING key`;

/** The parts of a WITH that settle a right guess. Each reads the part before, so that rows are locked in this order. */
function settling({ cleared, takenBack }: GuessSettlement): Sql[] {
  const nameOf = (part: number) => raw(`settled_${part}`);
  const others = takenBack.map((key, index) => {
    const after = sql`AND (SELECT count(*) FROM ${nameOf(index)}) >= 0`;
    return sql`${nameOf(index + 1)} AS (${takingBack(key, after)})`;
  });
  return [sql`${nameOf(0)} AS (${ending(cleared)})`, ...others];
}

/** Remembers the address for the consumer in `opened`. */
const remembering = (addressDigest: Buffer, at: Date): Sql =>
  sql`INSERT INTO known_address (consumer_id, address_digest, last_login_at)
    SELECT consumer_id, ${addressDigest}::bytea, ${at}::timestamptz FROM opened
    ON CONFLICT (consumer_id, address_digest) DO UPDATE SET last_login_at = excluded.last_login_at`;
