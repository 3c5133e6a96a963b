import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../platform/clock';
import { ApiError } from '../../platform/errors/api-error';
import { SANDBOX, type Sandbox } from '../../platform/sandbox';
import { Secrets } from '../../platform/secrets/secrets';
import type { LoginIdentifier } from '../identifiers/login-identifier';
import { PasswordHasher, type PasswordVerification } from '../passwords/password-hasher';
import type { Caller } from '../sessions/caller';
import { GuessTurns, MAX_WAIT } from './guess-turns';
import { type Account, type GuessKeys, type GuessSettlement, LoginRepository } from './login.repository';

/** How long failures are remembered, from the first of them; milliseconds. */
const WINDOW = 15 * 60_000;

/** Addresses are known for 30 days after the last login from them. */
export const ADDRESS_MEMORY_MS = 30 * 24 * 3_600_000;

/** A guess that was counted and may be compared; the caller that began it must end it. */
export interface Guess {
  caller: Caller;
  /** The key of its turn. */
  place: string;
  /** Null also for a disabled account, which must look as if there were none. */
  account: Account | null;
  /** The consumer of a disabled account. */
  disabledConsumerId: string | null;
  /** All keys at which it was counted. */
  counted: Buffer[];
  /** What it undoes if it is right: at the identifier that was sent, and at the consumer's others. */
  settlement: GuessSettlement;
  otherSettlements: GuessSettlement[];
}

/**
 * Limits guesses at passwords. A guess is counted before it is compared, so that guesses in parallel do not slip
 * through, and settled if it was right. Every guess is counted as if the account did not know its address, so that
 * answers never tell whether there is an account. A known address also has ten guesses of its own, and for it only
 * these decide: strangers cannot use them up.
 */
@Injectable()
export class PasswordGuesses {
  private readonly turns = new GuessTurns();

  constructor(
    private readonly logins: LoginRepository,
    private readonly hasher: PasswordHasher,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
    @Inject(SANDBOX) private readonly sandbox: Sandbox | null,
  ) {}

  /**
   * Finds the account by the identifier and counts one guess at it, and at the other identifiers, which are canonical;
   * or refuses with `LOGIN_THROTTLED`.
   */
  async begin(caller: Caller, identifier: LoginIdentifier, otherIdentifiers: string[] = []): Promise<Guess> {
    const place = JSON.stringify([identifier.value, caller.consumerIp]);
    if (!(await this.turns.begin(place))) throw throttled(MAX_WAIT / 1000);
    try {
      return { ...(await this.count(caller, identifier, otherIdentifiers)), caller, place };
    } catch (error) {
      this.turns.end(place);
      throw error;
    }
  }

  end({ place }: Guess): void {
    this.turns.end(place);
  }

  /**
   * Compares the password with the account's, or does the same work without one. A guess that could not be compared is
   * not counted.
   */
  async compare(
    guess: Guess,
    password: string,
    passwordHash = guess.account?.passwordHash ?? null,
  ): Promise<PasswordVerification> {
    try {
      return await this.hasher.verify(guess.caller.touchpoint.code, password, passwordHash);
    } catch (error) {
      await this.takeBack(guess);
      throw error;
    }
  }

  /** For a guess that ended with an error. If the database fails here too, the first error says more. */
  async takeBack({ counted }: Guess): Promise<void> {
    await this.logins.takeBackGuess(counted).catch(() => undefined);
  }

  /** Ends the counts of a right guess. */
  async settle(guess: Guess): Promise<void> {
    try {
      const { settlement, otherSettlements } = guess;
      await Promise.all([settlement, ...otherSettlements].map((each) => this.logins.settleGuess(each)));
    } catch (error) {
      await this.takeBack(guess);
      throw error;
    }
  }

  /** Forgets the guesses at the consumer by these identifiers, those from addresses that the consumer knows included. */
  async forget(manager: EntityManager, consumerId: string, addresses: string[]): Promise<void> {
    const known = await this.logins.findKnownAddresses(manager, consumerId);
    const counted = [consumerId, ...addresses].flatMap((value) => [
      partsOf('identifier', value),
      ...known.map(({ addressDigest }) => homeOf(value, addressDigest)),
    ]);
    await this.logins.forgetGuesses(
      manager,
      counted.flatMap((parts) => this.secrets.digests('login-attempt', this.limitKey(parts))),
    );
  }

  /** The digest by which a consumer's address is remembered. */
  addressDigest(consumerIp: string): Buffer {
    return this.secrets.digest('consumer-address', consumerIp);
  }

  private async count({ touchpoint, consumerIp }: Caller, identifier: LoginIdentifier, otherIdentifiers: string[]) {
    const keys = this.keysOf([identifier.value, ...otherIdentifiers], touchpoint.id, consumerIp);
    const now = this.clock.now();
    const digests = consumerIp === null ? [] : this.secrets.digests('consumer-address', consumerIp);
    const { account: found, counted } = await this.logins.findAccountAndCountGuess(
      identifier,
      { digests, knownSince: new Date(now.getTime() - ADDRESS_MEMORY_MS) },
      keys,
      { now, end: new Date(now.getTime() + WINDOW) },
    );
    const { kept, full } = judge(keys, counted, found?.addressIsKnown ?? false);
    // A guess for which only some keys had room does not count.
    await this.logins.takeBackGuess(counted.filter((key) => !isIn(kept, key)));
    if (full.length > 0) {
      const until = (await this.logins.endOfWindow(full)) ?? now;
      throw throttled((until.getTime() - this.clock.epochMs()) / 1000);
    }
    const [settlement, ...otherSettlements] = settlementsOf(keys, kept) as [GuessSettlement, ...GuessSettlement[]];
    const account = found?.isDisabled ? null : found;
    const disabledConsumerId = found?.isDisabled ? found.consumerId : null;
    return { account, disabledConsumerId, counted: kept, settlement, otherSettlements };
  }

  private keysOf(identifiers: string[], touchpointId: string, consumerIp: string | null): GuessKeys {
    const address = consumerIp === null ? null : this.addressDigest(consumerIp);
    return {
      home: address === null ? [] : identifiers.map((value) => this.key(homeOf(value, address))),
      identifiers: identifiers.map((value) => this.key(partsOf('identifier', value))),
      address: consumerIp === null ? [] : [this.key(partsOf('address', touchpointId, consumerIp))],
    };
  }

  private key(parts: string): Buffer {
    return this.secrets.digest('login-attempt', this.limitKey(parts));
  }

  private limitKey(parts: string): string {
    return this.sandbox?.limitKey(parts) ?? parts;
  }
}

const throttled = (retryAfterSeconds: number): ApiError => new ApiError('LOGIN_THROTTLED', { retryAfterSeconds });

const partsOf = (...parts: string[]): string => parts.join('\n');

/** By the digest of the address, so that the guesses from every known one can be forgotten. */
const homeOf = (identifier: string, addressDigest: Buffer): string =>
  partsOf('identifier-at-address', identifier, addressDigest.toString('base64url'));

const isIn = (keys: Buffer[], key: Buffer): boolean => keys.some((other) => other.equals(key));

/** The keys at which the guess stays counted (at home all or none, outside all or none), and those that refuse it. */
function judge(
  { home, identifiers, address }: GuessKeys,
  counted: Buffer[],
  addressIsKnown: boolean,
): { kept: Buffer[]; full: Buffer[] } {
  const fullOf = (wanted: Buffer[]) => wanted.filter((key) => !isIn(counted, key));
  const fullIdentifiers = fullOf(identifiers);
  const fullOutside = fullIdentifiers.length > 0 ? fullIdentifiers : fullOf(address);
  const fullAtHome = addressIsKnown ? fullOf(home) : [];
  const keptOutside = fullOutside.length === 0 ? [...identifiers, ...address] : [];
  const keptAtHome = addressIsKnown && fullAtHome.length === 0 ? home : [];
  return { kept: [...keptAtHome, ...keptOutside], full: addressIsKnown ? fullAtHome : fullOutside };
}

/**
 * What a right guess undoes, by identifier; the address takes it back once. If it came from a known address, the
 * identifier takes back this guess alone: otherwise strangers would see their count end.
 */
function settlementsOf({ home, identifiers, address }: GuessKeys, kept: Buffer[]): GuessSettlement[] {
  return identifiers.map((identifier, index) => {
    const atHome = home[index];
    const atAddress = index === 0 ? address.filter((key) => isIn(kept, key)) : [];
    return atHome && isIn(kept, atHome)
      ? { cleared: atHome, takenBack: [...(isIn(kept, identifier) ? [identifier] : []), ...atAddress] }
      : { cleared: identifier, takenBack: atAddress };
  });
}
