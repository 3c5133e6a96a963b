import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { IdentifierProofsService } from '../auth/identifier-proofs.service';
import { Clock } from '../platform/clock';
import { ApiError } from '../platform/errors/api-error';
import { ChallengesService } from './challenges.service';
import type { Channel } from '../platform/messages/message';
import { IDENTIFIER_OF } from './channel';
import { CodeSender } from './code-sender';
import { localeOf, OwnerNotices } from './owner-notices';
import type { ChallengeSentDto, VerifiedDto } from './verification.dto';

/** Lets a consumer prove an e-mail address or phone number. */
@Injectable()
export class VerificationsService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly proofs: IdentifierProofsService,
    private readonly challenges: ChallengesService,
    private readonly sender: CodeSender,
    private readonly notices: OwnerNotices,
    private readonly clock: Clock,
  ) {}

  /** Sends a code to the pending address, else to the present one. */
  async request(consumerId: string, channel: Channel): Promise<ChallengeSentDto> {
    return this.dataSource.transaction(async (manager) => {
      const { pending, present } = await this.proofs.ofKind(manager, consumerId, IDENTIFIER_OF[channel]);
      const unproven = pending ?? present;
      if (!unproven) throw new ApiError('CHANNEL_NOT_SET');
      if (unproven.verifiedAt) throw new ApiError('ALREADY_VERIFIED');
      const locale = await localeOf(manager, consumerId);
      const destination = { channel, address: unproven.value, locale };
      const { challengeId: _, ...sent } = await this.sender.send(manager, { consumerId }, destination);
      return sent;
    });
  }

  /** Proof beats claim: whoever else holds the address without proof loses it in the same transaction. */
  async confirm(consumerId: string, channel: Channel, code: string): Promise<VerifiedDto> {
    const { id, destination } = await this.challenges.guess({ consumerId, channel }, code);
    const verifiedAt = this.clock.now();
    await this.dataSource.transaction(async (manager) => {
      await this.challenges.consume(manager, id);
      const former = await this.proofs.prove(manager, consumerId, IDENTIFIER_OF[channel], destination);
      if (former) await this.notices.identifierChanged(manager, consumerId, former, destination);
    });
    return { channel, verified: true, verifiedAt: verifiedAt.toISOString() };
  }
}
