import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock, DAY_MS } from '../../platform/clock';
import { AppConfig } from '../../platform/settings/config';
import { CLEARING_SECONDS, ScheduledJobs } from '../../platform/jobs/scheduled-jobs';
import { EventPartitions } from './event-partitions';
import { EventRepository } from './event.repository';
import { Sequencer } from './sequencer';

/** Keeps the log in order on a schedule, also if nobody reads it. */
@Injectable()
export class EventRetention implements OnModuleInit {
  constructor(
    private readonly jobs: ScheduledJobs,
    private readonly sequencer: Sequencer,
    private readonly events: EventRepository,
    private readonly partitions: EventPartitions,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.jobs.schedule('event-log', CLEARING_SECONDS, () => this.tidy());
  }

  /** Numbers new events, expires the cursors that are too old, and drops the months that had ended by then. */
  async tidy(): Promise<void> {
    await this.sequencer.catchUpWholly();
    const before = new Date(this.clock.epochMs() - this.config.eventRetentionDays * DAY_MS);
    const floor = await this.events.findLastBefore(before);
    if (floor !== null) await this.events.raiseFloor(floor);
    await this.partitions.dropEnded(before);
  }
}
