import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../platform/clock';
import { ApiError } from '../../platform/errors/api-error';
import { Secrets } from '../../platform/secrets';
import { type Account, AccountsService, type GuessKeys } from './accounts.service';
import { AttemptCounter, type GuessSettlement } from './attempt-counter';
import { GuessesUnderWay, type OthersOutcome, Patience, WAITING_LIMIT_SECONDS } from './guesses-under-way';
import type { LoginIdentifier } from '../identifiers/login-identifier';

/** Whose password is guessed, and from where. */
export interface GuessedAt {
  /** By what the account is found, if there is one. */
  identifier: LoginIdentifier;
  /** Canonical identifiers that the guess is counted at too. */
  otherIdentifiers: string[];
  touchpointId: string;
  /** The consumer's network address, when the touchpoint passed it on. */
  address: string | null;
}

/** Where a guess was counted, and where there was no room for it. */
interface Count {
  account: Account | null;
  /** At the identifiers and the address: all of these keys or none. */
  outside: Buffer[];
  /** At the account's known address: all of these keys or none. */
  home: Buffer[];
  /** Those of the keys that decide that had no room: none of them if the guess may be compared. */
  full: Buffer[];
}

interface Guess extends Count {
  settlements: GuessSettlement[];
  end: (makesRoom: boolean) => void;
}

/**
 * Limits guesses at passwords. A guess is counted before it is compared, so that guesses in parallel do not slip
 * through, and settled when it was right. Each is counted as if nobody knew the address that it comes from: so what
 * others are answered never tells whether there is an account. The ten guesses of an address that the account knows are
 * counted beside that, and there alone they decide, so that strangers cannot use them up.
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
    const { account, outside, home, settlements, end } = await this.begin(guessedAt);
    const [ifRight = NOTHING, ...others] = settlements;
    let makesRoom = true;
    try {
      const result = await this.run([...home, ...outside], () => attempt(ifRight, account));
      if (result.matches) await Promise.all(others.map((settlement) => this.counter.settle(settlement)));
      makesRoom = result.matches;
      return result;
    } finally {
      end(makesRoom);
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
   * Finds the account and counts the guess. While others are under way a full count is no verdict yet: one of them may be
   * right, and clear it.
   */
  private async begin(guessedAt: GuessedAt): Promise<Guess> {
    const keys = this.keysOf(guessedAt);
    const patience = new Patience();
    for (;;) {
      // At both until it is known which: what is under way at the other makes no room here.
      const home = this.underWay.begin(keys.home);
      const elsewhere = this.underWay.begin(keys.identifiers);
      const end = (makesRoom: boolean) => {
        home.end(makesRoom);
        elsewhere.end(makesRoom);
      };
      try {
        const count = await this.count(guessedAt, keys);
        if (count.home.length === 0) home.end(false);
        if (count.outside.length === 0) elsewhere.end(false);
        if (count.full.length === 0) return { ...count, settlements: settlementsOf(keys, count), end };
        end(false);
        await this.waitForRoom(count, await (count.account?.addressIsKnown ? home : elsewhere).others(patience));
      } catch (error) {
        end(false);
        throw error;
      }
    }
  }

  /** Counts the guess; of what had room in part only, that is taken back. */
  private async count(guessedAt: GuessedAt, keys: GuessKeys): Promise<Count> {
    const { account, counted } = await this.accounts.findAndCount(guessedAt, keys);
    const isIn = (some: Buffer[]) => (key: Buffer) => some.some((other) => other.equals(key));
    const fullOf = (wanted: Buffer[]) => wanted.filter((key) => !isIn(counted)(key));
    const known = account?.addressIsKnown ?? false;
    const fullAtHome = known ? fullOf(keys.home) : [];
    const fullIdentifiers = fullOf(keys.identifiers);
    const fullOutside = fullIdentifiers.length > 0 ? fullIdentifiers : fullOf(keys.address);
    const count = {
      account,
      outside: fullOutside.length === 0 ? [...keys.identifiers, ...keys.address] : [],
      home: known && fullAtHome.length === 0 ? keys.home : [],
      full: known ? fullAtHome : fullOutside,
    };
    const kept = isIn([...count.outside, ...count.home]);
    await this.counter.takeBack(counted.filter((key) => !kept(key)));
    return count;
  }

  /** Returns when the guess may be counted once more. */
  private async waitForRoom(count: Count, others: OthersOutcome): Promise<void> {
    if (others === 'take too long') throw throttled(WAITING_LIMIT_SECONDS);
    if (others === 'made no room') {
      const until = await this.counter.windowEnd(count.full);
      throw throttled((until.getTime() - this.clock.epochMs()) / 1000);
    }
    await this.counter.takeBack(count.outside);
  }

  private keysOf({ identifier, otherIdentifiers, touchpointId, address }: GuessedAt): GuessKeys {
    const identifiers = [identifier.value, ...otherIdentifiers];
    return {
      home: address === null ? [] : identifiers.map((value) => this.key('identifier-at-address', value, address)),
      identifiers: identifiers.map((value) => this.key('identifier', value)),
      address: address === null ? [] : [this.key('address', touchpointId, address)],
    };
  }

  private key(...parts: string[]): Buffer {
    return this.secrets.digest('login-attempt', partsOf(...parts));
  }
}

const partsOf = (...parts: string[]): string => parts.join('\n');

const NOTHING: GuessSettlement = { cleared: null, takenBack: [null, null] };

/**
 * What a right guess undoes, by identifier; the address takes it back once. Where it was one from home, the identifier
 * takes back no more than it: strangers would see an end of their count.
 */
function settlementsOf({ home, identifiers, address }: GuessKeys, count: Count): GuessSettlement[] {
  const isCountedOutside = count.outside.length > 0;
  return identifiers.map((identifier, index) => {
    const fromAddress = index === 0 && isCountedOutside ? (address[0] ?? null) : null;
    return count.home.length === 0
      ? { cleared: identifier, takenBack: [null, fromAddress] }
      : { cleared: home[index] ?? null, takenBack: [isCountedOutside ? identifier : null, fromAddress] };
  });
}

const throttled = (retryAfterSeconds: number): ApiError => new ApiError('LOGIN_THROTTLED', { retryAfterSeconds });
