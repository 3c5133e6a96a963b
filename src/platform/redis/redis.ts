import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { Redis, RedisOptions } from 'ioredis';
import type { Logger } from 'pino';
import { jittered } from '../random';
import { sentinelOptions } from './redis-sentinel';

/** How long a command may take, in milliseconds; its callers can work without Redis. */
const COMMAND_TIMEOUT = 200;
/** How long a connection may be silent after a command, in milliseconds: then its host is gone. */
const SILENCE_TIMEOUT = 2_000;
const HEARTBEAT_INTERVAL = 1_000;
const HEARTBEAT_KEY = 'consumer-service:heartbeat';
const LONGEST_PAUSE = 2_000;

/** In milliseconds; replicas that lost Redis together do not come back together. */
const backOff = (attempt: number): number => jittered(Math.min(attempt * 100, LONGEST_PAUSE));

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
    const options: RedisOptions = {
      lazyConnect: true,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: COMMAND_TIMEOUT,
      connectTimeout: 1_000,
      sentinelCommandTimeout: 1_000,
      socketTimeout: SILENCE_TIMEOUT,
      retryStrategy: backOff,
      sentinelRetryStrategy: backOff,
      // The primary has become a replica: Sentinels name the present one.
      reconnectOnError: ({ message }) => message.startsWith('READONLY'),
    };
    const sentinel = sentinelOptions(url);
    const client = sentinel ? new Redis({ ...sentinel, ...options }) : new Redis(url, options);
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
      // A write, because a read-only replica or a Redis without room would answer a ping.
      client.set(HEARTBEAT_KEY, '1', 'PX', HEARTBEAT_INTERVAL).then(
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
