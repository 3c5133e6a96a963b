import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../platform/clock';
import { ApiError } from '../platform/errors/api-error';
import { Secrets } from '../platform/secrets';
import { type Account, AccountsService, type GuessKeys } from './accounts.service';
import { AttemptCounter, type GuessSettlement } from './attempt-counter';
import type { LoginIdentifier } from './login-identifier';

const FAILURES_PER_IDENTIFIER = 10;
const FAILURES_PER_ADDRESS = 100;

/** What one guess at a password is counted against. */
export interface GuessedAt {
  /** By what the account is found. */
  foundBy: LoginIdentifier;
  /** Canonical identifiers, existing or not. */
  identifiers: string[];
  /** The consumer's network address, when the touchpoint passed it on. */
  address: string | null;
}

/** A guess that has been counted and is under way. */
interface Guess {
  account: Account | null;
  /** The keys of its identifiers that it is counted at. */
  own: Buffer[];
  /** Ends it, and tells those that wait whether they have room again. */
  end: (makesRoom: boolean) => void;
}

/**
 * Limits guesses at passwords. A guess is counted before it is compared, so that guesses in parallel do not slip
 * through, and settled when it was right.
 */
@Injectable()
export class LoginAttempts {
  /** Guesses under way in this process, by identifier; each tells at its end whether others have room again. */
  private readonly running = new Map<string, Set<Promise<boolean>>>();

  constructor(
    private readonly accounts: AccountsService,
    private readonly counter: AttemptCounter,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
  ) {}

  /**
   * Runs `attempt` as one guess at the account's password, or refuses with `LOGIN_THROTTLED`. An attempt that matches has
   * settled what it is given, by `settle` or in the statement that does what the guess was for; one that could not be
   * made was no guess.
   */
  async guess<T extends { matches: boolean }>(
    guessedAt: GuessedAt,
    attempt: (account: Account | null, ifRight: GuessSettlement) => Promise<T>,
  ): Promise<T> {
    const address = guessedAt.address === null ? [] : [this.key('address', guessedAt.address)];
    const { account, own, end } = await this.begin(guessedAt);
    let makesRoom = true;
    try {
      const refusedUntil = await this.counter.count(address, FAILURES_PER_ADDRESS);
      if (refusedUntil) {
        await this.counter.takeBack(own);
        throw this.throttled(refusedUntil);
      }
      const result = await this.run([...own, ...address], () => attempt(account, { cleared: own, takenBack: address }));
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
    await this.counter.settle({ cleared, takenBack: [] }, manager);
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
   * Counts a guess at every identifier; from the consumer's known address they are counted apart, so that strangers
   * cannot use those guesses up.
   * While others are under way here a full count is no verdict yet: one of them may be right, and clear it.
   */
  private async begin(guessedAt: GuessedAt): Promise<Guess> {
    const { identifiers } = guessedAt;
    const keys = this.keysOf(guessedAt);
    for (;;) {
      const before = this.underWay(identifiers);
      const end = this.track(identifiers);
      const guess = await this.count(guessedAt, keys).catch((error: unknown) => {
        end(false);
        throw error;
      });
      const { account, own, refusedUntil } = guess;
      if (!refusedUntil) return { account, own, end };
      end(false);
      const roomMade = await Promise.all([...before, ...this.underWay(identifiers)]);
      if (!roomMade.includes(true)) throw this.throttled(refusedUntil);
    }
  }

  private async count({ foundBy, address }: GuessedAt, keys: GuessKeys) {
    const { account, counted } = await this.accounts.findAndCount(foundBy, address, keys, FAILURES_PER_IDENTIFIER);
    const own = account?.addressIsKnown ? keys.fromKnownAddress : keys.fromElsewhere;
    return { account, own, refusedUntil: await this.counter.refusal(own, counted, FAILURES_PER_IDENTIFIER) };
  }

  private underWay(names: string[]): Promise<boolean>[] {
    return names.flatMap((name) => [...(this.running.get(name) ?? [])]);
  }

  private track(names: string[]): (makesRoom: boolean) => void {
    let finish: (makesRoom: boolean) => void = () => undefined;
    const underWay = new Promise<boolean>((resolve) => {
      finish = resolve;
    });
    for (const name of names) this.running.set(name, (this.running.get(name) ?? new Set()).add(underWay));
    return (makesRoom) => {
      finish(makesRoom);
      for (const name of names) {
        const others = this.running.get(name);
        others?.delete(underWay);
        if (others?.size === 0) this.running.delete(name);
      }
    };
  }

  private throttled(until: Date): ApiError {
    return new ApiError('LOGIN_THROTTLED', { retryAfterSeconds: (until.getTime() - this.clock.epochMs()) / 1000 });
  }

  private keysOf({ identifiers, address }: GuessedAt): GuessKeys {
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
