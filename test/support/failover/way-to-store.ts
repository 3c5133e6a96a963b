import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { freePort } from '../service/free-port';

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
    return new WayToStore(port, spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' }));
  }

  /** Nothing is refused, and nothing answered. */
  cut(): void {
    this.haproxy.kill('SIGSTOP');
  }

  join(): void {
    this.haproxy.kill('SIGCONT');
  }

  async end(): Promise<void> {
    const exit = once(this.haproxy, 'exit');
    this.haproxy.kill('SIGKILL');
    await exit;
  }
}
