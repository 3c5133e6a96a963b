import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Origin } from '../platform/audit/origin';
import { Messages } from '../platform/messages/messages.service';
import type { Channel } from '../platform/messages/message';
import { ChallengesService, CODE_TTL_MINUTES, type Subject } from './challenges.service';
import { maskedDestination } from './channel';
import { SendLimitsService } from './send-limits.service';
import type { ChallengeSentDto } from './verification.dto';

export interface Destination {
  channel: Channel;
  /** Canonical. */
  address: string;
  /** The language to write in. */
  locale: string | null;
  /** Somebody holds the address verified: that owner is told so, and no code is sent. */
  hasOwner?: boolean;
}

/** Sends codes, within the limits of their destination. Joins a transaction: what is rolled back is not sent. */
@Injectable()
export class CodeSender {
  constructor(
    private readonly limits: SendLimitsService,
    private readonly challenges: ChallengesService,
    private readonly messages: Messages,
  ) {}

  async send(
    manager: EntityManager,
    subject: Subject,
    { channel, address, locale, hasOwner = false }: Destination,
    { touchpoint }: Origin,
  ): Promise<ChallengeSentDto & { challengeId: string }> {
    const resendAfter = await this.limits.take(manager, channel, address);
    const { id, code, expiresAt } = await this.challenges.open(manager, subject, {
      channel,
      destination: address,
      answerable: !hasOwner,
    });
    // What the owner of the address is told is the owner's, and not the subject's.
    const consumerId = 'consumerId' in subject ? subject.consumerId : undefined;
    await this.messages.enqueue(manager, {
      channel,
      to: address,
      locale,
      touchpoint,
      ...(hasOwner
        ? { kind: 'account-exists' }
        : { kind: 'verification-code', consumerId, code, expiresInMinutes: CODE_TTL_MINUTES }),
    });
    return {
      challengeId: id,
      channel,
      destination: maskedDestination(channel, address),
      expiresAt: expiresAt.toISOString(),
      resendAfter: resendAfter.toISOString(),
    };
  }
}
