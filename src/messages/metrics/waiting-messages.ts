import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { Clock } from '../../platform/clock';
import { type Channel, CHANNELS } from '../message';
import { queueOf } from '../queue/message-queue';

/** How long one look at the queues is good for, and how long somebody waits for it, in milliseconds. */
const MAX_AGE_MS = 5_000;
const PATIENCE_MS = 1_000;

/** The messages of one channel that wait for their first or next try. */
export interface WaitingOfChannel {
  channel: Channel;
  count: number;
  /** The age of the oldest; 0 where none waits. */
  oldestSeconds: number;
}

/** Looks at the queues of messages now and then, one look at a time, however often it is asked. */
@Injectable()
export class WaitingMessages {
  private latest: WaitingOfChannel[] | null = null;
  private readAtMs = -Infinity;
  private reading: Promise<WaitingOfChannel[] | null> | undefined;
  private answer: Promise<WaitingOfChannel[] | null> | undefined;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Null when the database does not answer in time; the same for all who ask in one turn, as the gauges of a scrape do. */
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
      this.latest = await this.query();
    } catch {
      this.latest = null;
    }
    this.readAtMs = this.clock.monotonicMs();
    this.reading = undefined;
    return this.latest;
  }

  /** Reads nothing but the partitions of these queues, which hold what waits and little else. */
  private async query(): Promise<WaitingOfChannel[]> {
    const rows = await this.dataSource.query<{ name: string; count: number; oldestSeconds: number }[]>(
      `SELECT name, count(*)::int AS count, extract(epoch FROM now() - min(created_on))::float8 AS "oldestSeconds"
         FROM pgboss.job WHERE name = ANY($1) AND state < 'active' GROUP BY name`,
      [CHANNELS.map(queueOf)],
    );
    return CHANNELS.map((channel) => {
      const { count = 0, oldestSeconds = 0 } = rows.find(({ name }) => name === queueOf(channel)) ?? {};
      return { channel, count, oldestSeconds };
    });
  }
}
