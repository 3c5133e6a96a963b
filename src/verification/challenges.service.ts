import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../platform/clock';
import { ApiError } from '../platform/errors/api-error';
import type { Channel } from '../messages/message';
import { newId, randomDigits } from '../platform/random';
import { Secrets } from '../platform/secrets';
import type { Challenge } from './challenge.entity';
import { type ChallengeKey, ChallengeRepository } from './challenge.repository';

/** How long a code works. */
export const CODE_TTL_MINUTES = 10;

const CODE_DIGITS = 6;
const GUESSES = 5;

/** Who may answer a challenge: a consumer, or the person who began a registration at a touchpoint. */
export type Subject = { consumerId: string } | { touchpointId: string };

/** A challenge with the code that answers it, to be sent and forgotten. */
export interface OpenedChallenge {
  id: string;
  code: string;
  expiresAt: Date;
}

/** Makes six-digit codes and checks guesses at them. */
@Injectable()
export class ChallengesService {
  constructor(
    private readonly challenges: ChallengeRepository,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
  ) {}

  /**
   * Opens a challenge. A consumer's new one ends the one before. Registrations for one address coexist, because one of
   * them may be a stranger's. Without `answerable` no code will be right.
   */
  async open(
    manager: EntityManager,
    subject: Subject,
    { channel, destination, answerable = true }: { channel: Channel; destination: string; answerable?: boolean },
  ): Promise<OpenedChallenge> {
    const id = newId();
    const code = randomDigits(CODE_DIGITS);
    const expiresAt = new Date(this.clock.epochMs() + CODE_TTL_MINUTES * 60_000);
    const codeDigest = answerable ? this.secrets.digest('verification-code', digested(id, code)) : null;
    const consumerId = 'consumerId' in subject ? subject.consumerId : null;
    const touchpointId = 'touchpointId' in subject ? subject.touchpointId : null;
    await this.challenges.insertChallenge(manager, {
      ...{ id, consumerId, touchpointId, channel, destination, codeDigest, attempts: 0, expiresAt },
    });
    return { id, code, expiresAt };
  }

  /**
   * Checks one guess. It is counted and committed before it is compared, because a rollback would give it back. Answers
   * the challenge if the code is right; `consume` then decides who may use it.
   */
  async guess(key: ChallengeKey, code: string): Promise<Challenge> {
    const challenge = await this.challenges.countGuess(key, GUESSES, this.clock.now());
    if (!challenge) throw await this.refusal(key);
    const { id, codeDigest } = challenge;
    const isRight = codeDigest !== null && this.secrets.matches('verification-code', digested(id, code), codeDigest);
    if (!isRight) throw new ApiError('CODE_INVALID');
    return challenge;
  }

  /** Uses up a challenge; refused if it was used before. */
  async consume(manager: EntityManager, id: string): Promise<void> {
    if (!(await this.challenges.deleteChallenge(manager, id))) throw new ApiError('CODE_EXPIRED');
  }

  /** Ends the consumer's open challenges, those of one channel or all. */
  async endAll(manager: EntityManager, consumerId: string, channel?: Channel): Promise<void> {
    await this.challenges.deleteChallengesOf(manager, consumerId, channel);
  }

  private async refusal(key: ChallengeKey): Promise<ApiError> {
    const isOpen = await this.challenges.isOpen(key, this.clock.now());
    return new ApiError(isOpen ? 'CODE_ATTEMPTS_EXCEEDED' : 'CODE_EXPIRED');
  }
}

/** Bound to its challenge, so that the digest is useless for another one. */
const digested = (id: string, code: string): string => `${id}\n${code}`;
