import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../platform/clock';
import { newId } from '../platform/random';
import { isAddress, type Message, type MessageKind } from './message';
import { Arrivals } from './queue/arrivals';
import { MessageSeal } from './queue/message-seal';
import { MessageRepository } from './queue/message.repository';

/** Notices about accounts go before codes, which anybody may ask for. */
const PRIORITY: Record<MessageKind, number> = {
  'identifier-changed': 1,
  'identity-linked': 1,
  'password-changed': 1,
  'password-recovered': 1,
  'recovery-advised': 1,
  'account-exists': 0,
  'recovery-code': 0,
  'verification-code': 0,
};

/** Tells consumers of what has happened to them. */
@Injectable()
export class Messages {
  constructor(
    private readonly messages: MessageRepository,
    private readonly arrivals: Arrivals,
    private readonly seal: MessageSeal,
    private readonly clock: Clock,
  ) {}

  /** The message is sent only if the transaction is committed. */
  async enqueue(manager: EntityManager, message: Message): Promise<void> {
    const { channel, kind, to, touchpoint = '' } = message;
    if (!isAddress(channel, to)) throw new Error(`A message has a wrong ${channel} address`);
    this.arrivals.expect(manager, channel);
    const id = newId();
    const expiresAt =
      'expiresInMinutes' in message ? new Date(this.clock.epochMs() + message.expiresInMinutes * 60_000) : null;
    await this.messages.add(manager, {
      ...{ id, channel, kind, touchpoint, priority: PRIORITY[kind], expiresAt },
      ...this.seal.seal(id, message),
    });
  }
}
