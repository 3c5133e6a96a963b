import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/clock';
import { CHANNELS } from '../message';
import { MessageRepository, type WaitingOfChannel } from '../queue/message.repository';

/** How long a count of the queues is valid, and how long a caller waits for it, in milliseconds. */
const MAX_AGE_MS = 5_000;
const PATIENCE_MS = 1_000;

/** Counts the queues of messages, one query at a time, however often it is asked. */
@Injectable()
export class WaitingMessages {
  private latest: WaitingOfChannel[] | null = null;
  private readAtMs = -Infinity;
  private reading: Promise<WaitingOfChannel[] | null> | undefined;
  private answer: Promise<WaitingOfChannel[] | null> | undefined;

  constructor(
    private readonly messages: MessageRepository,
    private readonly clock: Clock,
  ) {}

  /** Null if the database does not answer in time; the same for all calls of one scrape. */
  byChannel(): Promise<WaitingOfChannel[] | null> {
    if (!this.answer) {
      this.answer = this.look();
      setImmediate(() => (this.answer = undefined));
    }
    return this.answer;
  }

  private async look(): Promise<WaitingOfChannel[] | null> {
    if (!this.reading && this.clock.monotonicMs() - this.readAtMs < MAX_AGE_MS) return this.latest;
    this.reading ??= this.read();
    return Promise.race([this.reading, sleep(PATIENCE_MS, null, { ref: false })]);
  }

  private async read(): Promise<WaitingOfChannel[] | null> {
    try {
      const rows = await this.messages.countWaiting();
      this.latest = CHANNELS.map(
        (channel) => rows.find((row) => row.channel === channel) ?? { channel, count: 0, oldestSeconds: 0 },
      );
    } catch {
      this.latest = null;
    }
    this.readAtMs = this.clock.monotonicMs();
    this.reading = undefined;
    return this.latest;
  }
}
