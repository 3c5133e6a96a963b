import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from 'pino';
import { Lifecycle } from '../lifecycle';
import { LOGGER } from '../logger';
import { Metrics } from '../metrics/metrics';
import { waitAtMost } from '../pause';
import { PROCESS_ROLE, type ProcessRole } from '../process-role';
import { ScheduledJobRepository } from './scheduled-job.repository';

/** How often what has expired is cleared. */
export const CLEARING_SECONDS = 300;

/** How often to check whether a job is due, in milliseconds. */
const TICK = 30_000;

interface ScheduledJob {
  name: string;
  everySeconds: number;
  run: () => Promise<void>;
}

/** The scheduled jobs of the service; any replica may run one. */
@Injectable()
export class ScheduledJobs implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly jobs: ScheduledJob[] = [];
  private readonly underWay = new Map<string, Promise<void>>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly repository: ScheduledJobRepository,
    private readonly lifecycle: Lifecycle,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(PROCESS_ROLE) private readonly role: ProcessRole,
    @Inject(Metrics) private readonly metrics: Metrics | null,
  ) {}

  /**
   * One of the replicas calls `run` every `everySeconds`, and at the start if all of them were stopped. A run that
   * fails is not repeated before its next time.
   */
  schedule(name: string, everySeconds: number, run: () => Promise<void>): void {
    this.metrics?.jobs.expect(name);
    this.jobs.push({ name, everySeconds, run });
  }

  onApplicationBootstrap(): void {
    if (this.role !== 'service') return;
    this.beginWhatIsDue();
    this.timer = setInterval(() => {
      this.beginWhatIsDue();
    }, TICK);
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await waitAtMost(this.lifecycle.remainingForWork(), Promise.all(this.underWay.values()));
  }

  private beginWhatIsDue(): void {
    for (const job of this.jobs) {
      if (this.underWay.has(job.name)) continue;
      const done = this.runIfDue(job).finally(() => this.underWay.delete(job.name));
      this.underWay.set(job.name, done);
    }
  }

  private async runIfDue({ name, everySeconds, run }: ScheduledJob): Promise<void> {
    try {
      if (await this.repository.begin(name, everySeconds)) await run();
    } catch (err) {
      this.logger.error({ err, job: name }, 'A scheduled job failed');
      this.metrics?.jobs.fail(name);
    }
  }
}
