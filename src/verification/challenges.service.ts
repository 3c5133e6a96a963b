import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../platform/clock';
import { ApiError } from '../platform/errors/api-error';
import type { Channel } from '../messages/message';
import type { Challenge } from './challenge.entity';
import { type ChallengeKey, ChallengeRepository } from './challenge.repository';
import { GUESSES, OneTimeCodes } from './one-time-codes';

const CODE_DIGITS = 6;

/** Who may answer a challenge: a consumer, or the person who began a registration at a touchpoint. */
export type Subject = { consumerId: string } | { touchpointId: string };

/** A challenge with the code that answers it, to be sent and forgotten. */
export interface OpenedChallenge {
  id: string;
  code: string;
  expiresAt: Date;
}

/** Opens challenges with six-digit codes and checks guesses at them. */
@Injectable()
export class ChallengesService {
  constructor(
    private readonly challenges: ChallengeRepository,
    private readonly codes: OneTimeCodes,
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
    const { id, code, codeDigest, expiresAt } = this.codes.make(CODE_DIGITS, destination);
    const consumerId = 'consumerId' in subject ? subject.consumerId : null;
    const touchpointId = 'touchpointId' in subject ? subject.touchpointId : null;
    await this.challenges.insertChallenge(manager, {
      ...{ id, consumerId, touchpointId, channel, destination, attempts: 0, expiresAt },
      codeDigest: answerable ? codeDigest : null,
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
    const isRight = codeDigest !== null && this.codes.isRight(id, code, codeDigest);
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
