import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Identifier } from '../auth/identifier.entity';
import { Messages } from '../platform/messages/messages.service';
import { localeOf } from './consumer-locale';
import { CHANNEL_OF, maskedDestination } from './channel';

/** Tells consumers of what happens to their account. Joins the transaction of what it tells of. */
@Injectable()
export class OwnerNotices {
  constructor(private readonly messages: Messages) {}

  /** To the former address, when a verified identifier has been replaced or removed. */
  async identifierChanged(
    manager: EntityManager,
    consumerId: string,
    former: Pick<Identifier, 'kind' | 'value'>,
    replacement: string | null,
  ): Promise<void> {
    const channel = CHANNEL_OF[former.kind];
    await this.messages.enqueue(manager, {
      kind: 'identifier-changed',
      consumerId,
      channel,
      to: former.value,
      locale: await localeOf(manager, consumerId),
      newDestinationMasked: replacement === null ? null : maskedDestination(channel, replacement),
    });
  }

  /** To the addresses that the consumer has proven, or else to those that are claimed. */
  async passwordChanged(manager: EntityManager, consumerId: string): Promise<void> {
    const present = await manager.findBy(Identifier, { consumerId, pending: false });
    const verified = present.filter(({ verifiedAt }) => verifiedAt !== null);
    const locale = await localeOf(manager, consumerId);
    for (const { kind, value } of verified.length > 0 ? verified : present) {
      const channel = CHANNEL_OF[kind];
      await this.messages.enqueue(manager, { kind: 'password-changed', consumerId, channel, to: value, locale });
    }
  }
}
