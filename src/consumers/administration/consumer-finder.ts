import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { IdentifierRepository } from '../../auth/identifiers/identifier.repository';
import { type LoginIdentifier, parseLoginIdentifier } from '../../auth/identifiers/login-identifier';
import type { Channel } from '../../messages/message';
import { ConsumerRepository } from '../../profiles/consumer.repository';
import { CHANNEL_OF } from '../../verification/channel';

/** A refusal that the administrator reads as one line. */
export class ConsumerError extends Error {}

export function noConsumer(text: string): Error {
  const typed = text.trim();
  return new ConsumerError(
    typed === ''
      ? 'No consumer was named: give a customer id, an e-mail address or a phone number'
      : `There is no consumer ${typed}`,
  );
}

/** Where a consumer is written to. */
export interface ContactAddress {
  channel: Channel;
  /** Canonical. */
  address: string;
}

/** Finds consumers for administrators, and where they are written to. */
@Injectable()
export class ConsumerFinder {
  constructor(
    private readonly consumers: ConsumerRepository,
    private readonly identifiers: IdentifierRepository,
  ) {}

  /** The id of the consumer who has this customer id, e-mail address or phone number, in any spelling of it. */
  async find(text: string): Promise<string> {
    const consumerId = await this.holder(parseLoginIdentifier(text));
    if (consumerId === null) throw noConsumer(text);
    return consumerId;
  }

  /** The consumer's addresses, also claimed and pending ones, but not those that another consumer has proven. */
  async contactAddressesOf(manager: EntityManager, consumerId: string): Promise<ContactAddress[]> {
    const identifiers = await this.identifiers.findContactAddresses(manager, consumerId);
    return identifiers.map(({ kind, value }) => ({ channel: CHANNEL_OF[kind], address: value }));
  }

  private async holder({ kind, value }: LoginIdentifier): Promise<string | null> {
    if (kind === 'unknown') return null;
    if (kind !== 'customerId') return this.identifiers.findHolder({ kind, value });
    return (await this.consumers.consumerExists(value)) ? value : null;
  }
}
