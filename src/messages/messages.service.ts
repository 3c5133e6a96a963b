import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../platform/clock';
import { Jobs } from '../platform/jobs/jobs.service';
import { newId } from '../platform/random';
import { isAddress, type Message, type MessageKind } from './message';
import { queueOf, type QueuedMessage } from './queue/message-queue';
import { MessageSeal } from './queue/message-seal';

/** A send has a deadline of 20 seconds: after this time the process that had the message is dead. */
const EXPIRE_SECONDS = 60;

/** Only such deaths count here, a day of them; failures go by the retry policy. */
const DEATHS_ALLOWED = 1_000;

/** What consumers are told of their accounts goes before the codes that anybody may ask for. */
const PRIORITY: Record<MessageKind, number> = {
  'identifier-changed': 1,
  'identity-linked': 1,
  'password-changed': 1,
  'account-exists': 0,
  'verification-code': 0,
};

/** Tells consumers of what has happened to them. */
@Injectable()
export class Messages {
  constructor(
    private readonly jobs: Jobs,
    private readonly seal: MessageSeal,
    private readonly clock: Clock,
  ) {}

  /** The message leaves if the transaction is committed, and only then. */
  async enqueue(manager: EntityManager, message: Message): Promise<void> {
    const { channel, to } = message;
    if (!isAddress(channel, to)) throw new Error(`A message has a wrong ${channel} address`);
    const id = newId();
    await this.jobs.add(manager, queueOf(channel), this.queued(id, message), {
      id,
      party: message.touchpoint,
      priority: PRIORITY[message.kind],
      retryLimit: DEATHS_ALLOWED,
      expireInSeconds: EXPIRE_SECONDS,
    });
  }

  private queued(id: string, message: Message): QueuedMessage {
    const sealed = this.seal.seal(id, message);
    if (!('expiresInMinutes' in message)) return sealed;
    const expiresAt = new Date(this.clock.epochMs() + message.expiresInMinutes * 60_000).toISOString();
    return { ...sealed, expiresAt };
  }
}
