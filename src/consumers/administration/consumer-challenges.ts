import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ChallengeRepository } from '../../verification/challenge.repository';
import { RecoveryRepository } from '../recovery/recovery.repository';
import { PendingRegistrationRepository } from '../registration/pending-registration.repository';

/** A code that was sent and has not been used; an expired one is kept for some minutes. */
export type OpenChallenge = Awaited<ReturnType<ConsumerChallenges['findOpenChallenges']>>[number];

/**
 * The consumer's own challenges and recoveries, anybody's to the consumer's addresses, and registrations that name one of
 * those.
 */
@Injectable()
export class ConsumerChallenges {
  constructor(
    private readonly challenges: ChallengeRepository,
    private readonly registrations: PendingRegistrationRepository,
    private readonly recoveries: RecoveryRepository,
  ) {}

  async findOpenChallenges(manager: EntityManager, consumerId: string, addresses: string[]) {
    const named = await this.registrations.findChallengeIdsNaming(manager, addresses);
    const challenges = await this.challenges.findChallengesConcerning(manager, consumerId, addresses, named);
    const recoveries = await this.recoveries.findRecoveriesConcerning(manager, consumerId, addresses);
    const found = [...challenges, ...recoveries.map((recovery) => ({ ...recovery, of: 'recovery' as const }))];
    return found.map(({ expiresAt, ...challenge }) => ({ ...challenge, expiresAt: expiresAt.toISOString() }));
  }

  /** Deletes them with what the registrations hold; answers how many of each kind. */
  async removeChallenges(manager: EntityManager, consumerId: string, addresses: string[]) {
    const named = await this.registrations.findChallengeIdsNaming(manager, addresses);
    const removed = await this.challenges.removeChallengesConcerning(manager, consumerId, addresses, named);
    return { ...removed, recoveries: await this.recoveries.removeRecoveriesConcerning(manager, consumerId, addresses) };
  }
}
