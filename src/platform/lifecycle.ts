import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Clock } from './clock';
import { AppConfig } from './settings/config';

/** Whether this process is stopping, for readiness and for connections that should not be kept. */
@Injectable()
export class Lifecycle implements BeforeApplicationShutdown {
  private drainingSince: number | undefined;

  constructor(
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  get isDraining(): boolean {
    return this.drainingSince !== undefined;
  }

  beforeApplicationShutdown(): void {
    this.drainingSince ??= this.clock.monotonicMs();
  }

  /**
   * How long background work may still take, in milliseconds, now that the process stops: half of the grace period for
   * all of it, so that requests have the rest.
   */
  remainingForWork(): number {
    // A caller may come before the hook of this class.
    this.beforeApplicationShutdown();
    const spent = this.clock.monotonicMs() - (this.drainingSince ?? 0);
    return Math.max(0, this.config.shutdownGraceSeconds * 500 - spent);
  }
}
