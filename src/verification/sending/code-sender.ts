import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { validationFailed } from '../../platform/errors/api-error';
import { Messages } from '../../messages/messages.service';
import type { Channel } from '../../messages/message';
import type { Caller } from '../../auth/sessions/caller';
import { ChallengesService, type Subject } from '../challenges.service';
import { maskedDestination } from '../channel';
import { CODE_TTL_MINUTES } from '../one-time-codes';
import { phoneViolations } from '../phone-rules';
import { SendLimitsService } from './send-limits.service';
import { shortName } from './short-name';
import type { ChallengeSentDto } from '../verification.dto';

/** Who asks for a code, and where it is to go. */
export interface CodeRequest {
  caller: Caller;
  subject: Subject;
  channel: Channel;
  /** Canonical. */
  address: string;
  /** The language to write in. */
  locale: string | null;
  /** If set, another consumer has verified the address: its owner is told, and no code is sent. */
  hasOwner?: boolean;
}

/** A code for a new password, and where it is to go. */
export interface RecoveryCode {
  caller: Caller;
  channel: Channel;
  /** Canonical. */
  address: string;
  code: string;
  /** Whose account it recovers; null: there is none, and all is done except sending. */
  recipient: { consumerId: string; locale: string | null } | null;
}

/**
 * Sends codes, within all limits. Joins a transaction: what is rolled back is not sent. Call `send` first, then do the
 * rest of the transaction, and call `countSend` last.
 */
@Injectable()
export class CodeSender {
  constructor(
    private readonly limits: SendLimitsService,
    private readonly challenges: ChallengesService,
    private readonly messages: Messages,
  ) {}

  /** Answers what to tell the caller, and the challenge that was opened. */
  async send(
    manager: EntityManager,
    { caller: { touchpoint }, subject, channel, address, locale, hasOwner = false }: CodeRequest,
  ): Promise<ChallengeSentDto & { challengeId: string }> {
    // The number may have been accepted at another touchpoint, or before there were rules.
    const violations = channel === 'sms' ? phoneViolations(touchpoint, address) : [];
    if (violations.length > 0) throw validationFailed(violations);
    const resendAfter = await this.limits.take(manager, { channel, address });
    const { id, code, expiresAt } = await this.challenges.open(manager, subject, {
      channel,
      destination: address,
      answerable: !hasOwner,
    });
    await this.messages.enqueue(manager, {
      channel,
      to: address,
      locale,
      touchpoint: touchpoint.code,
      // What the owner of the address is told concerns the owner, not the person who asked.
      ...(hasOwner
        ? { kind: 'account-exists' }
        : {
            kind: 'verification-code',
            consumerId: consumerIdOf(subject) ?? undefined,
            code,
            expiresInMinutes: CODE_TTL_MINUTES,
          }),
    });
    return {
      challengeId: id,
      channel,
      destination: maskedDestination(channel, address),
      expiresAt: expiresAt.toISOString(),
      resendAfter: resendAfter.toISOString(),
    };
  }

  /** Answers when the next code may be asked for. */
  async sendRecoveryCode(
    manager: EntityManager,
    { caller: { touchpoint }, channel, address, code, recipient }: RecoveryCode,
  ): Promise<Date> {
    const resendAfter = await this.limits.take(manager, { channel, address });
    await this.messages.enqueue(manager, {
      ...{ kind: 'recovery-code', channel, to: address, locale: recipient?.locale ?? null },
      ...{ touchpoint: touchpoint.code, touchpointName: shortName(touchpoint.name) },
      ...{ consumerId: recipient?.consumerId, code, expiresInMinutes: CODE_TTL_MINUTES },
      isDecoy: recipient === null,
    });
    return resendAfter;
  }

  /**
   * Counts the send for the person and touchpoint that asked. All sends of the touchpoint wait for these rows until the
   * commit.
   */
  async countSend(
    manager: EntityManager,
    { caller: { touchpoint, consumerIp }, subject, channel, address }: Omit<CodeRequest, 'locale'>,
  ): Promise<void> {
    const consumerId = consumerIdOf(subject);
    await this.limits.takeAllowances(manager, {
      channel,
      address,
      touchpointId: touchpoint.id,
      consumerId,
      consumerIp,
    });
  }
}

const consumerIdOf = (subject: Subject): string | null => ('consumerId' in subject ? subject.consumerId : null);
