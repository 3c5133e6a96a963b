import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { lockConsumer } from '../auth/consumer-lock';
import { IdentifierProofsService } from '../auth/identifier-proofs.service';
import { type Customer, SessionsService } from '../auth/sessions.service';
import { AuditService } from '../platform/audit/audit.service';
import type { Origin } from '../platform/audit/origin';
import { ApiError } from '../platform/errors/api-error';
import type { Channel } from '../platform/messages/message';
import type { Touchpoint } from '../touchpoints/touchpoint.entity';
import { ChallengesService } from './challenges.service';
import { IDENTIFIER_OF } from './channel';
import { CodeSender } from './code-sender';
import { localeOf } from './consumer-locale';
import { OwnerNotices } from './owner-notices';
import type { ChallengeSentDto, VerifiedDto } from './verification.dto';

/** Lets a consumer prove an e-mail address or phone number. */
@Injectable()
export class VerificationsService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly sessions: SessionsService,
    private readonly proofs: IdentifierProofsService,
    private readonly challenges: ChallengesService,
    private readonly sender: CodeSender,
    private readonly notices: OwnerNotices,
    private readonly audit: AuditService,
  ) {}

  /** Sends a code to the pending address, else to the present one. */
  async request(
    touchpoint: Touchpoint,
    customer: Customer,
    channel: Channel,
    consumerIp: string | null,
    origin: Origin,
  ): Promise<ChallengeSentDto> {
    const { consumerId } = customer;
    return this.dataSource.transaction(async (manager) => {
      await lockConsumer(manager, this.sessions.livenessOf(customer));
      const { pending, present } = await this.proofs.ofKind(manager, consumerId, IDENTIFIER_OF[channel]);
      const unproven = pending ?? present;
      if (!unproven) throw new ApiError('CHANNEL_NOT_SET');
      if (unproven.verifiedAt) throw new ApiError('ALREADY_VERIFIED');
      const locale = await localeOf(manager, consumerId);
      const destination = { channel, address: unproven.value, locale };
      const asker = { touchpoint, consumerIp, subject: { consumerId } };
      return this.sender.send(manager, asker, destination, async ({ challengeId: _, ...sent }) => {
        const details = { channel, destination: sent.destination };
        await this.audit.record(manager, origin, { type: 'verification.requested', consumerId, details });
        return sent;
      });
    });
  }

  /** Proof beats claim: whoever else holds the address without proof loses it in the same transaction. */
  async confirm(customer: Customer, channel: Channel, code: string, origin: Origin): Promise<VerifiedDto> {
    const { consumerId } = customer;
    const { id, destination } = await this.challenges.guess({ consumerId, channel }, code);
    const { verifiedAt } = await this.dataSource.transaction(async (manager) => {
      await lockConsumer(manager, this.sessions.livenessOf(customer));
      await this.challenges.consume(manager, id);
      const proof = await this.proofs.prove(manager, consumerId, IDENTIFIER_OF[channel], destination, origin);
      if (proof.replaced) await this.notices.identifierChanged(manager, proof.replaced, destination, origin);
      return proof;
    });
    return { channel, verified: true, verifiedAt: verifiedAt.toISOString() };
  }
}
