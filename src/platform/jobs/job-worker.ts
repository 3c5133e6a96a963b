import { setTimeout as sleep } from 'node:timers/promises';

export interface JobWorkerOptions<J> {
  /** Takes up to `count` jobs that nobody else has; must not reject. */
  fetch: (count: number) => Promise<J[]>;
  /** Does one job and settles it; must not reject. */
  handle: (job: J) => Promise<void>;
  concurrency: number;
  /** How often a worker with nothing to do looks for work, in milliseconds. */
  pollInterval: number;
}

/**
 * Does the jobs of one queue, several at a time.
 * Not pg-boss's own worker: that one settles jobs in the background, where a database that is away ends the process.
 */
export class JobWorker<J> {
  private readonly running = new Set<Promise<void>>();
  private stopping = false;
  /** Aborted when there may be work before the next look is due. */
  private woken = new AbortController();
  private readonly loop: Promise<void>;

  constructor(private readonly options: JobWorkerOptions<J>) {
    this.loop = this.run();
  }

  /** Looks for work at once, or once more after the look that is under way, which may have come too early. */
  wake(): void {
    this.woken.abort();
  }

  /** Takes no more jobs, and waits for those under way, but not for ever. */
  async stop(patienceMs: number): Promise<void> {
    this.stopping = true;
    this.wake();
    const patience = new AbortController();
    const drained = this.loop.then(() => Promise.all(this.running));
    await Promise.race([drained, pause(patienceMs, patience.signal)]);
    patience.abort();
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      this.woken = new AbortController();
      const free = this.options.concurrency - this.running.size;
      const jobs = await this.options.fetch(free);
      for (const job of jobs) this.begin(job);
      // Where there was one more than could be taken, the next is due as soon as there is room.
      await (jobs.length === free ? Promise.race(this.running) : pause(this.options.pollInterval, this.woken.signal));
    }
  }

  private begin(job: J): void {
    const done = this.options.handle(job).finally(() => this.running.delete(done));
    this.running.add(done);
  }
}

export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => undefined);
