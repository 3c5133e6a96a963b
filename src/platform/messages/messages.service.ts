import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Jobs } from '../jobs/jobs.service';
import { newId } from '../random';
import { isAddress, type Message } from './message';
import { queueOf } from './message-queue';
import { MessageSeal } from './message-seal';

/** A send has a deadline of 20 seconds: after this time the process that had the message is dead. */
const EXPIRE_SECONDS = 60;

/** Only such deaths count here, a day of them; failures go by the retry policy. */
const DEATHS_ALLOWED = 1_000;

/** Tells consumers of what has happened to them. */
@Injectable()
export class Messages {
  constructor(
    private readonly jobs: Jobs,
    private readonly seal: MessageSeal,
  ) {}

  /** The message leaves if the transaction is committed, and only then. */
  async enqueue(manager: EntityManager, message: Message): Promise<void> {
    const { channel, to } = message;
    if (!isAddress(channel, to)) throw new Error(`A message has a wrong ${channel} address`);
    const id = newId();
    await this.jobs.add(manager, queueOf(channel), this.seal.seal(id, message), {
      id,
      retryLimit: DEATHS_ALLOWED,
      expireInSeconds: EXPIRE_SECONDS,
    });
  }
}
