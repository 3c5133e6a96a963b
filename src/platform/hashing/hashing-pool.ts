import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import Piscina from 'piscina';
import { AppConfig } from '../app-config';
import { Clock } from '../clock';
import { ApiError } from '../errors/api-error';
import { Metrics } from '../metrics/metrics';
import { PROCESS_ROLE, type ProcessRole } from '../process-role';

/** bcrypt in worker threads of lowered priority; a full queue refuses with 503 instead of growing. */
@Injectable()
export class HashingPool implements OnApplicationShutdown {
  private readonly cost: number;
  private readonly pool: Piscina;
  private accepted = 0;

  constructor(
    config: AppConfig,
    private readonly clock: Clock,
    @Inject(Metrics) private readonly metrics: Metrics | null,
    @Inject(PROCESS_ROLE) role: ProcessRole,
  ) {
    this.cost = config.bcryptCost;
    this.pool = new Piscina({
      filename: pathToFileURL(join(__dirname, 'hash.worker.mjs')).href,
      // A command that hashes nothing needs no threads.
      minThreads: role === 'service' ? config.hashWorkers : 0,
      maxThreads: config.hashWorkers,
      maxQueue: config.hashQueueLimit,
    });
    metrics?.hashing.watch(this);
  }

  get limit(): number {
    return this.pool.options.maxQueue;
  }

  get waiting(): number {
    return this.pool.queueSize;
  }

  get running(): number {
    return this.accepted - this.waiting;
  }

  /** A bcrypt hash of `secret`, of which bcrypt reads the first 72 bytes. */
  hash(secret: string): Promise<string> {
    return this.run<string>('hash', { secret, cost: this.cost });
  }

  compare(secret: string, hash: string): Promise<boolean> {
    return this.run<boolean>('compare', { secret, hash });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.close({ force: true });
  }

  private async run<T>(name: string, task: object): Promise<T> {
    const startedAt = this.clock.monotonicMs();
    this.accepted += 1;
    try {
      const result = (await this.pool.run(task, { name })) as T;
      this.metrics?.hashing.observe(name, this.clock.monotonicMs() - startedAt);
      return result;
    } catch (cause) {
      if (!(cause instanceof Error) || cause.message !== 'Task queue is at limit') throw cause;
      this.metrics?.hashing.refuse();
      throw new ApiError('SERVICE_UNAVAILABLE', { detail: 'Too many passwords are being checked.', cause });
    } finally {
      this.accepted -= 1;
    }
  }
}
