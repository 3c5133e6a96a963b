import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import Piscina from 'piscina';
import { AppConfig } from '../../../platform/settings/config';
import { Clock } from '../../../platform/clock';
import { ApiError } from '../../../platform/errors/api-error';
import { Metrics } from '../../../platform/metrics/metrics';
import { PROCESS_ROLE, type ProcessRole } from '../../../platform/process-role';
import type { ForeignHash } from '../foreign-hash';
import { HashMetrics } from './hash-metrics';
import { TurnQueue } from './turn-queue';

/** A hash that waits for a thread. */
interface Waiting {
  begin: () => void;
  turnAway: (reason: ApiError) => void;
}

/**
 * bcrypt, and other systems' hashes, in worker threads of lower priority. Touchpoints take turns. A full queue refuses with 503, first the
 * touchpoint with the most in it, so that one touchpoint's flood leaves room for the others.
 */
@Injectable()
export class HashingPool implements OnApplicationShutdown {
  private readonly cost: number;
  private readonly metrics: HashMetrics | undefined;
  private readonly pool: Piscina;
  private readonly queue: TurnQueue<Waiting>;
  /** How many have a thread. */
  running = 0;

  constructor(
    config: AppConfig,
    private readonly clock: Clock,
    @Inject(Metrics) metrics: Metrics | null,
    @Inject(PROCESS_ROLE) role: ProcessRole,
  ) {
    this.cost = config.bcryptCost;
    this.pool = new Piscina({
      filename: pathToFileURL(join(__dirname, 'hash.worker.mjs')).href,
      // A command that hashes nothing needs no threads.
      minThreads: role === 'service' ? config.hashWorkers : 0,
      maxThreads: config.hashWorkers,
    });
    this.queue = new TurnQueue(config.hashQueueLimit);
    this.metrics = metrics?.of(HashMetrics);
    this.metrics?.watch(this);
  }

  get limit(): number {
    return this.queue.limit;
  }

  get waiting(): number {
    return this.queue.size;
  }

  /** A bcrypt hash of `secret`, of which bcrypt reads the first 72 bytes; `touchpoint` asks for it. */
  hash(touchpoint: string, secret: string): Promise<string> {
    return this.run<string>(touchpoint, 'hash', { secret, cost: this.cost });
  }

  /** What does not match is compared with the decoys too, bcrypt hashes of nothing. */
  compare(touchpoint: string, secret: string, hash: string | ForeignHash, decoys: string[]): Promise<boolean> {
    return this.run<boolean>(touchpoint, 'compare', { secret, hash, decoys });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.close({ force: true });
  }

  private async run<T>(touchpoint: string, name: string, task: object): Promise<T> {
    const startedAt = this.clock.monotonicMs();
    await this.turnOf(touchpoint);
    try {
      const result = (await this.pool.run(task, { name })) as T;
      this.metrics?.observe(name, this.clock.monotonicMs() - startedAt);
      return result;
    } finally {
      const next = this.queue.shift();
      if (next) next.begin();
      else this.running -= 1;
    }
  }

  /** Resolves when a thread is free for this touchpoint. */
  private async turnOf(touchpoint: string): Promise<void> {
    if (this.running < this.pool.options.maxThreads) {
      this.running += 1;
      return;
    }
    await new Promise<void>((begin, turnAway) => {
      this.queue.push(touchpoint, { begin, turnAway })?.turnAway(this.refusal());
    });
  }

  private refusal(): ApiError {
    this.metrics?.refuse();
    return new ApiError('SERVICE_UNAVAILABLE', { detail: 'Too many passwords are being checked.' });
  }
}
