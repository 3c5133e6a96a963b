import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';

/** How long a command may take, in milliseconds; its callers can go on without Redis. */
const COMMAND_TIMEOUT = 200;
const HEARTBEAT_INTERVAL = 1_000;

/** The shared Redis, if there is one. While it is away, commands fail at once and the client reconnects. */
@Injectable()
export class RedisConnection implements OnModuleInit, OnApplicationShutdown {
  private heartbeat: NodeJS.Timeout | undefined;
  private reachable = true;

  private constructor(
    readonly client: Redis | undefined,
    private readonly logger: Logger,
  ) {
    client?.on('error', (err: Error) => {
      this.report(false, err);
    });
  }

  /** Loads the client only where there is a Redis. */
  static async to(url: string | undefined, logger: Logger): Promise<RedisConnection> {
    if (url === undefined) return new RedisConnection(undefined, logger);
    const { Redis } = await import('ioredis');
    const client = new Redis(url, {
      lazyConnect: true,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: COMMAND_TIMEOUT,
      connectTimeout: 1_000,
      retryStrategy: (attempt) => Math.min(attempt * 100, 2_000),
    });
    return new RedisConnection(client, logger);
  }

  /** Whether a Redis is configured and cannot be used, also one that accepts and never answers. */
  get isAway(): boolean {
    return this.client !== undefined && (this.client.status !== 'ready' || !this.reachable);
  }

  /** Not earlier: if another part of the service could not be made, nobody would close the connection. */
  onModuleInit(): void {
    const { client } = this;
    if (!client) return;
    // The client reports its errors, and tries again.
    client.connect().catch(() => undefined);
    this.heartbeat = setInterval(() => {
      client.ping().then(
        () => {
          this.report(true);
        },
        (err: unknown) => {
          this.report(false, err);
        },
      );
    }, HEARTBEAT_INTERVAL).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.heartbeat);
    this.client?.disconnect();
  }

  /** Logs a change, not every attempt. */
  private report(reachable: boolean, err?: unknown): void {
    if (reachable === this.reachable) return;
    this.reachable = reachable;
    if (reachable) this.logger.info('Redis is back');
    else this.logger.warn({ err }, 'Redis is away: limits are counted in memory');
  }
}
