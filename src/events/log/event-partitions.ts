import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { endOfMonthsAhead, MonthlyPartitions } from '../../platform/database/monthly-partitions';
import { EventRepository } from './event.repository';

/** The months by which the log is partitioned. */
@Injectable()
export class EventPartitions {
  private readonly months: MonthlyPartitions;
  /** Events before this time have their partitions. */
  private readyUntil = new Date(0);

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly events: EventRepository,
  ) {
    this.months = new MonthlyPartitions(dataSource, { name: 'event', column: 'numbered_at' });
  }

  /** Makes what is missing for this time and the months after it. */
  async prepare(time: Date): Promise<void> {
    const end = endOfMonthsAhead(time);
    if (end <= this.readyUntil) return;
    await this.dataSource.transaction(async (manager) => {
      await this.events.lockHead(manager);
      await this.months.make(manager, time, end);
    });
    this.readyUntil = end;
  }

  /** Drops the months that had ended by this time. */
  async dropEnded(time: Date): Promise<void> {
    for (const month of await this.months.find()) if (month.to && month.to <= time) await this.months.drop(month);
  }
}
