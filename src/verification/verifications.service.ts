import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { IdentifiersService } from '../auth/identifiers/identifiers.service';
import type { SignedInCaller } from '../auth/sessions/caller';
import { SessionsService } from '../auth/sessions/sessions.service';
import { AuditService } from '../audit/audit.service';
import { ApiError } from '../platform/errors/api-error';
import type { Channel } from '../messages/message';
import { ConsumerRepository } from '../profiles/consumer.repository';
import { ChallengesService } from './challenges.service';
import { IDENTIFIER_OF } from './channel';
import { CodeSender } from './sending/code-sender';
import { OwnerNotices } from './sending/owner-notices';
import type { ChallengeSentDto, VerifiedDto } from './verification.dto';

/** Lets a consumer prove an e-mail address or phone number. */
@Injectable()
export class VerificationsService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly sessions: SessionsService,
    private readonly consumers: ConsumerRepository,
    private readonly identifiers: IdentifiersService,
    private readonly challenges: ChallengesService,
    private readonly sender: CodeSender,
    private readonly notices: OwnerNotices,
    private readonly audit: AuditService,
  ) {}

  /** Sends a code to the pending address, else to the present one. */
  async request(caller: SignedInCaller, channel: Channel): Promise<ChallengeSentDto> {
    const { consumerId } = caller.session;
    return this.dataSource.transaction(async (manager) => {
      await this.sessions.lockConsumer(manager, caller.session);
      const { pending, present } = await this.identifiers.ofKind(manager, consumerId, IDENTIFIER_OF[channel]);
      const unproven = pending ?? present;
      if (!unproven) throw new ApiError('CHANNEL_NOT_SET');
      if (unproven.verifiedAt) throw new ApiError('ALREADY_VERIFIED');
      const locale = await this.consumers.findLocale(manager, consumerId);
      const request = { caller, subject: { consumerId }, channel, address: unproven.value, locale };
      const { challengeId: _, ...sent } = await this.sender.send(manager, request);
      const details = { channel, destination: sent.destination };
      await this.audit.record(manager, caller.origin, { type: 'verification.requested', consumerId, details });
      await this.sender.countSend(manager, request);
      return sent;
    });
  }

  /** Proof beats claim: another consumer who holds the address without proof loses it in the same transaction. */
  async confirm({ session, origin }: SignedInCaller, channel: Channel, code: string): Promise<VerifiedDto> {
    const { consumerId } = session;
    const { id, destination } = await this.challenges.guess({ consumerId, channel }, code);
    const { verifiedAt } = await this.dataSource.transaction(async (manager) => {
      await this.sessions.lockConsumer(manager, session);
      await this.challenges.consume(manager, id);
      const proof = await this.identifiers.prove(manager, consumerId, IDENTIFIER_OF[channel], destination, origin);
      if (proof.replaced) await this.notices.identifierChanged(manager, proof.replaced, destination, origin);
      return proof;
    });
    return { channel, verified: true, verifiedAt: verifiedAt.toISOString() };
  }
}
