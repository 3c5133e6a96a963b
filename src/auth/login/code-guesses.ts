import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/clock';
import { ApiError } from '../../platform/errors/api-error';
import { Secrets } from '../../platform/secrets/secrets';
import { LoginRepository } from './login.repository';

/** How long wrong codes are remembered, from the first of them; milliseconds. */
const WINDOW = 3_600_000;

const WRONG_CODES_PER_ADDRESS = 30;

/** A guess at a code that was counted at the address it came from; null if that is not known. */
export type CodeGuess = Buffer | null;

/**
 * Limits wrong recovery codes by the consumer's address, so that nobody tries a few at each of many accounts. A guess
 * is counted before it is compared, and taken back when it was right or was not compared.
 */
@Injectable()
export class CodeGuesses {
  constructor(
    private readonly logins: LoginRepository,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
  ) {}

  /** Counts a guess, or refuses with `LOGIN_THROTTLED`. */
  async begin(touchpointId: string, consumerIp: string | null): Promise<CodeGuess> {
    if (consumerIp === null) return null;
    const key = this.secrets.digest('login-attempt', ['recovery-code', touchpointId, consumerIp].join('\n'));
    const now = this.clock.now();
    const window = { now, end: new Date(now.getTime() + WINDOW) };
    if (await this.logins.countCodeGuess(key, WRONG_CODES_PER_ADDRESS, window)) return key;
    const until = (await this.logins.endOfWindow([key])) ?? now;
    const retryAfterSeconds = (until.getTime() - now.getTime()) / 1000;
    throw new ApiError('LOGIN_THROTTLED', { retryAfterSeconds, refusal: { reason: 'wrong codes from the address' } });
  }

  /** A count that cannot be taken back ends by itself. */
  async takeBack(guess: CodeGuess): Promise<void> {
    if (guess !== null) await this.logins.takeBackGuess([guess]).catch(() => undefined);
  }
}
