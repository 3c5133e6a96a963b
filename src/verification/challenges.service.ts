import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource, EntityManager } from 'typeorm';
import { Clock } from '../platform/clock';
import { ApiError } from '../platform/errors/api-error';
import type { Channel } from '../messages/message';
import { newId, randomDigits } from '../platform/random';
import { Secrets } from '../platform/secrets';
import { Challenge } from './challenge.entity';

/** How long a code works. */
export const CODE_TTL_MINUTES = 10;

const CODE_DIGITS = 6;
const GUESSES = 5;

/** Who may answer a challenge: a consumer, or whoever began a registration at a touchpoint. */
export type Subject = { consumerId: string } | { touchpointId: string };

/** A challenge with the code that answers it, to be sent and forgotten. */
export interface OpenedChallenge {
  id: string;
  code: string;
  expiresAt: Date;
}

/** Which challenge a guess is at: a registration's by its id, a consumer's by its channel. */
export type ChallengeKey = { id: string; touchpointId: string } | { consumerId: string; channel: Channel };

/** Makes six-digit codes and judges guesses at them. */
@Injectable()
export class ChallengesService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
  ) {}

  /**
   * Opens a challenge. A consumer's new one ends the one before; registrations live side by side, since whoever names
   * the same address may be a stranger. Without `answerable` no code will be right.
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
    await manager.query(
      `INSERT INTO challenge (id, consumer_id, touchpoint_id, channel, destination, code_digest, attempts, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, 0, $7)
       ON CONFLICT (consumer_id, channel) DO UPDATE SET
         id = excluded.id, destination = excluded.destination, code_digest = excluded.code_digest,
         attempts = 0, expires_at = excluded.expires_at`,
      [id, consumerId, touchpointId, channel, destination, codeDigest, expiresAt],
    );
    return { id, code, expiresAt };
  }

  /**
   * Judges one guess: it is counted and committed before it is compared, so that none is free (a rollback would
   * give it back). Answers the challenge when the code is right; `consume` then decides who may use it.
   */
  async guess(key: ChallengeKey, code: string): Promise<Challenge> {
    const [where, values] = condition(key);
    const [[challenge]] = await this.dataSource.query<[Challenge[], number]>(
      `UPDATE challenge SET attempts = attempts + 1
       WHERE ${where} AND attempts < $3 AND expires_at > $4
       RETURNING id, consumer_id AS "consumerId", touchpoint_id AS "touchpointId", channel, destination,
         code_digest AS "codeDigest", attempts, expires_at AS "expiresAt"`,
      [...values, GUESSES, this.clock.now()],
    );
    if (!challenge) throw await this.refusal(key);
    const { id, codeDigest } = challenge;
    const isRight = codeDigest !== null && this.secrets.matches('verification-code', digested(id, code), codeDigest);
    if (!isRight) throw new ApiError('CODE_INVALID');
    return challenge;
  }

  /** Spends a challenge; refused when it has been spent before. */
  async consume(manager: EntityManager, id: string): Promise<void> {
    const { affected } = await manager.delete(Challenge, { id });
    if (affected !== 1) throw new ApiError('CODE_EXPIRED');
  }

  /** Ends the consumer's open challenges, those of one channel or all. */
  async endAll(manager: EntityManager, consumerId: string, channel?: Channel): Promise<void> {
    await manager.delete(Challenge, { consumerId, ...(channel && { channel }) });
  }

  private async refusal(key: ChallengeKey): Promise<ApiError> {
    const [where, values] = condition(key);
    const open = await this.dataSource.query<unknown[]>(`SELECT 1 FROM challenge WHERE ${where} AND expires_at > $3`, [
      ...values,
      this.clock.now(),
    ]);
    return new ApiError(open.length > 0 ? 'CODE_ATTEMPTS_EXCEEDED' : 'CODE_EXPIRED');
  }
}

/** Bound to its challenge, so that a digest proves nothing elsewhere. */
const digested = (id: string, code: string): string => `${id}\n${code}`;

const condition = (key: ChallengeKey): [where: string, values: string[]] =>
  'id' in key
    ? ['id = $1 AND touchpoint_id = $2', [key.id, key.touchpointId]]
    : ['consumer_id = $1 AND channel = $2', [key.consumerId, key.channel]];
