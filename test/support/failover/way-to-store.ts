import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { freePort } from '../service/free-port';
import { until } from '../until';

/** The cable between a server and etcd: a process of its own, so that no load of a test slows it down. */
export class WayToStore {
  private constructor(
    readonly port: number,
    private readonly haproxy: ChildProcess,
  ) {}

  /** `file` is where its configuration is written. */
  static async start(file: string, etcdPort: number): Promise<WayToStore> {
    const port = await freePort();
    const lines = [
      'defaults',
      '  mode tcp',
      '  timeout connect 2s',
      // Longer than Patroni waits for news of a key.
      '  timeout client 1h',
      '  timeout server 1h',
      'listen store',
      `  bind 127.0.0.1:${port}`,
      `  server etcd 127.0.0.1:${etcdPort}`,
    ];
    writeFileSync(file, `${lines.join('\n')}\n`);
    const way = new WayToStore(port, spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'inherit'] }));
    await until(() => way.isOpen());
    return way;
  }

  /** Nothing is refused, and nothing answered. */
  cut(): void {
    this.haproxy.kill('SIGSTOP');
  }

  join(): void {
    this.haproxy.kill('SIGCONT');
  }

  async end(): Promise<void> {
    if (this.hasEnded) return;
    const exit = once(this.haproxy, 'exit');
    this.haproxy.kill('SIGKILL');
    await exit;
  }

  private get hasEnded(): boolean {
    return this.haproxy.exitCode !== null || this.haproxy.signalCode !== null;
  }

  private async isOpen(): Promise<boolean> {
    if (this.hasEnded) throw new Error('HAProxy has ended');
    const socket = connect(this.port, '127.0.0.1');
    return once(socket, 'connect')
      .then(
        () => true,
        () => false,
      )
      .finally(() => socket.destroy());
  }
}
