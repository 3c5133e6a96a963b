import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../../platform/clock';
import { isDatabaseUnavailable } from '../../platform/database/connection/database-errors';
import { LOGGER } from '../../platform/logger';
import type { EndedRequest } from '../../platform/http/server/ended-request';
import { ActivityRepository, type CountedHour } from './activity.repository';

/** In milliseconds. */
const FLUSH_INTERVAL = 5_000;
const HOUR = 3_600_000;

const hourOf = (epochMs: number): number => epochMs - (epochMs % HOUR);

/**
 * Counts in memory what the API does in each hour, for the whole service and for each touchpoint, and writes it later,
 * so that no request waits for it.
 */
@Injectable()
export class ActivityCounter implements BeforeApplicationShutdown {
  /** By a row's hour, touchpoint and kind. */
  private counts = new Map<string, CountedHour>();
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly repository: ActivityRepository,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.timer = setInterval(() => void this.flush(), FLUSH_INTERVAL).unref();
  }

  observe({ method, route, touchpoint, status, code }: EndedRequest): void {
    if (typeof route !== 'string' || !route.startsWith('/api/')) return;
    this.count('requests');
    if (code !== undefined) this.count(code);
    if (touchpoint !== undefined) {
      this.count('requests', touchpoint);
      if (code === 'RATE_LIMITED') this.count(code, touchpoint);
    }
    if (method !== 'POST') return;
    if (route === '/api/v1/login' && status === 200) this.count('logins');
    if (route.startsWith('/api/v1/register') && status === 201) this.count('registrations');
  }

  /** The last `hours`, the present one included; hours in which nothing happened are left out. */
  recent(hours: number, touchpoint?: string): Promise<CountedHour[]> {
    return this.repository.findSince(new Date(hourOf(this.clock.epochMs()) - (hours - 1) * HOUR), touchpoint);
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  private count(kind: string, touchpoint = ''): void {
    this.add({ hour: new Date(hourOf(this.clock.epochMs())), touchpoint, kind, count: 1 });
  }

  private add(counted: CountedHour): void {
    const { hour, touchpoint, kind } = counted;
    const key = `${hour.getTime()} ${touchpoint} ${kind}`;
    const known = this.counts.get(key);
    if (known) known.count += counted.count;
    else this.counts.set(key, counted);
  }

  /** What could not be written waits: a few numbers for each hour and touchpoint. */
  private async flush(): Promise<void> {
    const taken = [...this.counts.values()];
    if (taken.length === 0) return;
    this.counts = new Map();
    await this.repository.add(taken).catch((err: unknown) => {
      if (!isDatabaseUnavailable(err)) this.logger.error({ err }, 'What was counted could not be written');
      for (const counted of taken) this.add(counted);
    });
  }
}
