import { Injectable } from '@nestjs/common';

const FIRST_DELAY_SECONDS = 2;
const LONGEST_DELAY_SECONDS = 3_600;
const GIVE_UP_AFTER_SECONDS = 86_400;
const TRIES_WHEN_REFUSED = 5;

/** The attempts at a message so far. */
export interface FailedDelivery {
  attempts: number;
  ageSeconds: number;
  /** The receiver refuses this message for good, not only for now. */
  refused: boolean;
}

/** When to try an unsent message again. */
@Injectable()
export class RetryPolicy {
  /** The longest wait in seconds, or null to give the message up. */
  nextDelaySeconds({ attempts, ageSeconds, refused }: FailedDelivery): number | null {
    if (refused ? attempts >= TRIES_WHEN_REFUSED : ageSeconds >= GIVE_UP_AFTER_SECONDS) return null;
    return Math.min(FIRST_DELAY_SECONDS * 2 ** (attempts - 1), LONGEST_DELAY_SECONDS);
  }
}
