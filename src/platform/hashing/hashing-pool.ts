import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import Piscina from 'piscina';
import { AppConfig } from '../app-config';
import { ApiError } from '../errors/api-error';

/** bcrypt in worker threads of lowered priority; a full queue refuses with 503 instead of growing. */
@Injectable()
export class HashingPool implements OnApplicationShutdown {
  private readonly cost: number;
  private readonly pool: Piscina;

  constructor(config: AppConfig) {
    this.cost = config.bcryptCost;
    this.pool = new Piscina({
      filename: pathToFileURL(join(__dirname, 'hash.worker.mjs')).href,
      minThreads: config.hashWorkers,
      maxThreads: config.hashWorkers,
      maxQueue: config.hashQueueLimit,
    });
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
    try {
      return (await this.pool.run(task, { name })) as T;
    } catch (cause) {
      if (!(cause instanceof Error) || cause.message !== 'Task queue is at limit') throw cause;
      throw new ApiError('SERVICE_UNAVAILABLE', { detail: 'Too many passwords are being checked.', cause });
    }
  }
}
