import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort } from '../service/free-port';
import type { Certificates } from './certificates';

interface RedisProcessOptions {
  /** Of a configuration, and of the clients that it lets in. */
  file?: string;
  password?: string;
  /** Where it also listens, by TLS. */
  tls?: Tls;
}

interface Tls {
  port: number;
  certificates: Certificates;
}

/** A Redis of the test's own, to be stopped, frozen and emptied. */
export class RedisProcess {
  private child: ChildProcess | undefined;

  private constructor(
    readonly port: number,
    private readonly options: RedisProcessOptions,
  ) {}

  static async start(given: RedisProcessOptions = {}): Promise<RedisProcess> {
    const redis = new RedisProcess(await freePort(), given);
    redis.open();
    await redis.limits();
    return redis;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Where others replicate it from, which is by TLS if it has that. */
  get address(): { host: string; port: number } {
    const { tls } = this.options;
    return tls ? { host: tls.certificates.name, port: tls.port } : { host: '127.0.0.1', port: this.port };
  }

  /** Starts it, empty, where it was before. */
  open(): void {
    const options = ['--port', String(this.port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    // A replica writes a file when it begins to follow.
    const { file, tls } = this.options;
    const first = file === undefined ? [] : [file];
    const announced = ['--replica-announce-ip', this.address.host];
    const last =
      tls === undefined ? [] : [...tlsSettings(tls).flatMap(([key, value]) => [`--${key}`, value]), ...announced];
    this.child = spawn('redis-server', [...first, ...options, '--dir', tmpdir(), ...last], { stdio: 'ignore' });
  }

  signal(signal: NodeJS.Signals): void {
    this.child?.kill(signal);
  }

  /** SIGTERM lets it end in order, SIGKILL as when its machine is lost. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const { child } = this;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill(signal);
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

  /** Makes it a read-only replica of another one, or a primary again. */
  async follow(primary: RedisProcess | null): Promise<void> {
    const { host, port } = primary?.address ?? { host: 'NO', port: 'ONE' };
    await this.ask((client) => client.call('REPLICAOF', host, String(port)));
  }

  /** Takes no more writes, or takes them again. */
  async setFull(isFull: boolean): Promise<void> {
    await this.ask((client) => client.config('SET', 'maxmemory', isFull ? '1' : '0'));
  }

  /** How many limits are counted in it; waits until it answers. */
  async limits(): Promise<number> {
    for (;;) {
      const limits = await this.ask((client) => client.keys('limit*')).catch(() => null);
      if (limits !== null) return limits.length;
      await sleep(25);
    }
  }

  private async ask<T>(command: (client: Redis) => Promise<T>): Promise<T> {
    const { password } = this.options;
    const client = new Redis(this.url, { lazyConnect: true, retryStrategy: () => null, ...(password && { password }) });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await command(client);
    } finally {
      client.disconnect();
    }
  }
}

/** Of a Redis or a Sentinel, which also uses TLS towards the others. */
export const tlsSettings = ({ port, certificates }: Tls): [key: string, value: string][] => [
  ['tls-port', String(port)],
  ['tls-replication', 'yes'],
  ['tls-auth-clients', 'no'],
  ['tls-ca-cert-file', certificates.authority],
  ['tls-cert-file', certificates.certificate],
  ['tls-key-file', certificates.key],
];
