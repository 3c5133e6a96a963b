import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort } from '../service/free-port';

/** A Redis of the test's own, to be stopped, frozen and emptied. */
export class RedisProcess {
  private child: ChildProcess | undefined;

  private constructor(private readonly port: number) {}

  static async start(): Promise<RedisProcess> {
    const redis = new RedisProcess(await freePort());
    redis.open();
    await redis.keys();
    return redis;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts it, empty, where it was before. */
  open(): void {
    const options = ['--port', String(this.port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    this.child = spawn('redis-server', options, { stdio: 'ignore' });
  }

  signal(signal: NodeJS.Signals): void {
    this.child?.kill(signal);
  }

  async stop(): Promise<void> {
    const { child } = this;
    if (child?.exitCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    await exit;
  }

  /** Also of one that is frozen. */
  async end(): Promise<void> {
    this.signal('SIGCONT');
    await this.stop();
  }

  async flush(): Promise<void> {
    await this.ask((client) => client.flushall());
  }

  /** How many keys it has; waits until it answers. */
  async keys(): Promise<number> {
    for (;;) {
      const keys = await this.ask((client) => client.dbsize()).catch(() => null);
      if (keys !== null) return keys;
      await sleep(25);
    }
  }

  private async ask<T>(command: (client: Redis) => Promise<T>): Promise<T> {
    const client = new Redis(this.url, { lazyConnect: true, retryStrategy: () => null });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await command(client);
    } finally {
      client.disconnect();
    }
  }
}
