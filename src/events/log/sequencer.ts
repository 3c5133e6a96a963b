import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource, EntityManager } from 'typeorm';
import { Clock } from '../../platform/clock';
import { EventPartitions } from './event-partitions';
import { EventRepository, type Head } from './event.repository';

/** Few enough that no statement meets its deadline. */
const BATCH_EVENTS = 1_000;
/** After this many a reader has enough to read. */
const BATCHES_A_RUN = 5;

/**
 * Gives every committed event the next position. Only one process numbers at a time, and sees all that is committed, so
 * an event that is committed later always has a higher position: a reader misses none.
 */
@Injectable()
export class Sequencer {
  private running: Promise<Head> | undefined;
  private next: Promise<Head> | undefined;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly events: EventRepository,
    private readonly partitions: EventPartitions,
    private readonly clock: Clock,
  ) {}

  /** The head after a run that has begun since the call: one run at a time for all who ask. */
  catchUp(): Promise<Head> {
    return (this.next ??= this.begin(this.running));
  }

  /** Numbers everything, and has the partitions of the coming months ready. */
  async catchUpWholly(): Promise<void> {
    await this.partitions.prepare(this.clock.now());
    while ((await this.catchUp()).isBehind);
  }

  private async begin(before: Promise<Head> | undefined): Promise<Head> {
    // Awaited even if there is none, so that other calls of this turn share the run.
    await before?.catch(() => undefined);
    this.next = undefined;
    this.running = this.run();
    return this.running;
  }

  private async run(): Promise<Head> {
    let head = await this.events.readHead();
    if (head.isBehind) await this.partitions.prepare(this.clock.now());
    for (let batch = 0; head.isBehind && batch < BATCHES_A_RUN; batch += 1) {
      const numbered = await this.dataSource.transaction((manager) => this.numberBatch(manager));
      head = { ...head, ...numbered };
    }
    return head;
  }

  private async numberBatch(manager: EntityManager): Promise<Pick<Head, 'position' | 'isBehind'>> {
    const { position, numberedAt } = await this.events.lockHead(manager);
    const now = latest(this.clock.now(), numberedAt);
    const count = await this.events.numberEvents(manager, position, now, BATCH_EVENTS);
    const next = position + BigInt(count);
    if (count > 0) await this.events.moveHead(manager, next, now);
    return { position: next, isBehind: count === BATCH_EVENTS };
  }
}

const latest = (a: Date, b: Date): Date => (a > b ? a : b);
