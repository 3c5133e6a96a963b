import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../platform/clock';
import { ApiError } from '../platform/errors/api-error';
import { Secrets } from '../platform/secrets';
import { type Account, AccountsService, type GuessKeys } from './accounts.service';
import { AttemptCounter, type GuessSettlement } from './attempt-counter';
import { GuessesUnderWay, type GuessUnderWay } from './guesses-under-way';
import type { LoginIdentifier } from './login-identifier';

const FAILURES_PER_IDENTIFIER = 10;
const FAILURES_PER_ADDRESS = 100;

/** Whose password is guessed, and from where. */
export interface GuessedAt {
  /** By what the account is found, if there is one. */
  identifier: LoginIdentifier;
  /** Canonical identifiers that the guess is counted at too. */
  otherIdentifiers: string[];
  /** The consumer's network address, when the touchpoint passed it on. */
  address: string | null;
}

/** A guess that has been counted. */
interface Guess {
  account: Account | null;
  underWay: GuessUnderWay;
}

/**
 * Limits guesses at passwords. A guess is counted before it is compared, so that guesses in parallel do not slip
 * through, and settled when it was right.
 */
@Injectable()
export class LoginAttempts {
  private readonly underWay = new GuessesUnderWay();

  constructor(
    private readonly accounts: AccountsService,
    private readonly counter: AttemptCounter,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
  ) {}

  /**
   * Runs `attempt` as one guess at the account's password, or refuses with `LOGIN_THROTTLED`. An attempt that matches has
   * settled what it is given, by `settle` or in the statement that does what the guess was for; the counts of the other
   * identifiers end here. One that could not be made was no guess.
   */
  async guess<T extends { matches: boolean }>(
    guessedAt: GuessedAt,
    attempt: (ifRight: GuessSettlement, account: Account | null) => Promise<T>,
  ): Promise<T> {
    const address = guessedAt.address === null ? null : this.key('address', guessedAt.address);
    const { account, underWay } = await this.begin(guessedAt);
    const own = underWay.keys;
    let makesRoom = true;
    try {
      const refusedUntil = address && (await this.counter.count(address, FAILURES_PER_ADDRESS));
      if (refusedUntil) {
        await this.counter.takeBack(own);
        throw this.throttled(refusedUntil);
      }
      const [cleared = null, ...others] = own;
      const keys = address ? [...own, address] : own;
      const result = await this.run(keys, () => attempt({ cleared, takenBack: address }, account));
      if (result.matches) await this.counter.clear(others);
      makesRoom = result.matches;
      return result;
    } finally {
      underWay.end(makesRoom);
    }
  }

  settle(settlement: GuessSettlement): Promise<void> {
    return this.counter.settle(settlement);
  }

  /** Forgets the guesses at these identifiers, but those from known addresses, of which only digests are kept. */
  async forget(manager: EntityManager, identifiers: string[]): Promise<void> {
    const cleared = identifiers.flatMap((identifier) =>
      this.secrets.digests('login-attempt', partsOf('identifier', identifier)),
    );
    await this.counter.clear(cleared, manager);
  }

  /** What could not be compared was no guess. */
  private async run<T>(keys: Buffer[], attempt: () => Promise<T>): Promise<T> {
    try {
      return await attempt();
    } catch (error) {
      // The first error says more than one from a database that may be the reason of both.
      await this.counter.takeBack(keys).catch(() => undefined);
      throw error;
    }
  }

  /**
   * Finds the account and counts the guess at every identifier; from an address that the account knows they are counted
   * apart, so that strangers cannot use those guesses up.
   * While others are under way here a full count is no verdict yet: one of them may be right, and clear it.
   */
  private async begin(guessedAt: GuessedAt): Promise<Guess> {
    const keys = this.keysOf(guessedAt);
    for (;;) {
      // At both until it is known which: what is under way at the other makes no room here.
      const home = this.underWay.begin(keys.fromKnownAddress);
      const elsewhere = this.underWay.begin(keys.fromElsewhere);
      try {
        const { account, counted } = await this.accounts.findAndCount(guessedAt, keys, FAILURES_PER_IDENTIFIER);
        const [underWay, unused] = account?.addressIsKnown ? [home, elsewhere] : [elsewhere, home];
        unused.end(false);
        const refusedUntil = await this.counter.refusal(underWay.keys, counted, FAILURES_PER_IDENTIFIER);
        if (!refusedUntil) return { account, underWay };
        underWay.end(false);
        const roomMade = await Promise.all(underWay.others());
        if (!roomMade.includes(true)) throw this.throttled(refusedUntil);
      } catch (error) {
        home.end(false);
        elsewhere.end(false);
        throw error;
      }
    }
  }

  private throttled(until: Date): ApiError {
    return new ApiError('LOGIN_THROTTLED', { retryAfterSeconds: (until.getTime() - this.clock.epochMs()) / 1000 });
  }

  private keysOf({ identifier, otherIdentifiers, address }: GuessedAt): GuessKeys {
    const identifiers = [identifier.value, ...otherIdentifiers];
    return {
      fromKnownAddress:
        address === null ? [] : identifiers.map((value) => this.key('identifier-at-address', value, address)),
      fromElsewhere: identifiers.map((value) => this.key('identifier', value)),
    };
  }

  private key(...parts: string[]): Buffer {
    return this.secrets.digest('login-attempt', partsOf(...parts));
  }
}

const partsOf = (...parts: string[]): string => parts.join('\n');
