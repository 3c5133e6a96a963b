import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Addressee, Channel, MessageKind } from './message';
import { MessageSeal } from './queue/message-seal';
import { MessageRepository, type StoredMessage } from './queue/message.repository';

/** A message that has not left, or was given up. */
export interface AddressedMessage {
  id: string;
  kind: MessageKind;
  channel: Channel;
  createdAt: string;
}

export interface RemovedMessages {
  removed: number;
  /** Of those: how many a service was sending, so that they may still arrive. */
  inDelivery: number;
  /** Messages that stay because they cannot be opened: damaged, or sealed with an unknown `APP_SECRET`. */
  unreadable: number;
}

/** Finds the messages of a consumer: opens every stored one, a page at a time. */
@Injectable()
export class AddressedMessages {
  constructor(
    private readonly messages: MessageRepository,
    private readonly seal: MessageSeal,
  ) {}

  async list(manager: EntityManager, addressee: Addressee): Promise<AddressedMessage[]> {
    const found: AddressedMessage[] = [];
    for await (const page of this.messages.pages(manager)) {
      for (const message of page) {
        if (this.isFor(addressee, message) !== true) continue;
        const { id, kind, channel, createdAt } = message;
        found.push({ id, kind, channel, createdAt: createdAt.toISOString() });
      }
    }
    return found;
  }

  async remove(manager: EntityManager, addressee: Addressee): Promise<RemovedMessages> {
    const ids: string[] = [];
    let unreadable = 0;
    for await (const page of this.messages.pages(manager)) {
      for (const message of page) {
        const isFor = this.isFor(addressee, message);
        if (isFor === null) unreadable += 1;
        else if (isFor) ids.push(message.id);
      }
    }
    return { ...(await this.messages.removeAll(manager, ids)), unreadable };
  }

  /** Null if it cannot be opened. */
  private isFor({ consumerId, addresses }: Addressee, stored: StoredMessage): boolean | null {
    const message = this.seal.open(stored.id, stored);
    return message && (message.consumerId === consumerId || addresses.includes(message.to));
  }
}
