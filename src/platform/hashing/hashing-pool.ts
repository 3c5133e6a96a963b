import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import Piscina from 'piscina';
import { AppConfig } from '../app-config';
import { Clock } from '../clock';
import { ApiError } from '../errors/api-error';
import { Metrics } from '../metrics/metrics';
import { PROCESS_ROLE, type ProcessRole } from '../process-role';

/**
 * bcrypt in worker threads of lowered priority; a full queue refuses with 503 instead of growing. One touchpoint has at
 * most half of the places, so that the others have some whatever it does.
 */
@Injectable()
export class HashingPool implements OnApplicationShutdown {
  private readonly cost: number;
  private readonly pool: Piscina;
  private readonly share: number;
  /** How many run or wait, by touchpoint. */
  private readonly accepted = new Map<string, number>();

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
    this.share = Math.ceil((config.hashWorkers + config.hashQueueLimit) / 2);
    metrics?.hashing.watch(this);
  }

  get limit(): number {
    return this.pool.options.maxQueue;
  }

  get waiting(): number {
    return this.pool.queueSize;
  }

  get running(): number {
    return [...this.accepted.values()].reduce((sum, held) => sum + held, 0) - this.waiting;
  }

  /** A bcrypt hash of `secret`, of which bcrypt reads the first 72 bytes; `touchpoint` asks for it. */
  hash(touchpoint: string, secret: string): Promise<string> {
    return this.run<string>(touchpoint, 'hash', { secret, cost: this.cost });
  }

  compare(touchpoint: string, secret: string, hash: string): Promise<boolean> {
    return this.run<boolean>(touchpoint, 'compare', { secret, hash });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.close({ force: true });
  }

  private async run<T>(touchpoint: string, name: string, task: object): Promise<T> {
    const startedAt = this.clock.monotonicMs();
    const held = this.accepted.get(touchpoint) ?? 0;
    if (held >= this.share) throw this.refusal();
    this.accepted.set(touchpoint, held + 1);
    try {
      const result = (await this.pool.run(task, { name })) as T;
      this.metrics?.hashing.observe(name, this.clock.monotonicMs() - startedAt);
      return result;
    } catch (cause) {
      throw cause instanceof Error && cause.message === 'Task queue is at limit' ? this.refusal(cause) : cause;
    } finally {
      const others = (this.accepted.get(touchpoint) ?? 1) - 1;
      if (others === 0) this.accepted.delete(touchpoint);
      else this.accepted.set(touchpoint, others);
    }
  }

  private refusal(cause?: Error): ApiError {
    this.metrics?.hashing.refuse();
    return new ApiError('SERVICE_UNAVAILABLE', { detail: 'Too many passwords are being checked.', cause });
  }
}
