import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port';

const START_DEADLINE_MS = 90_000;

/** The built service as a process of its own, to be killed. */
export class ServiceProcess {
  private constructor(
    readonly baseUrl: string,
    private readonly child: ChildProcess,
    /** Everything it has printed so far. */
    readonly output: string[],
  ) {}

  static async start(env: Record<string, string>): Promise<ServiceProcess> {
    const port = await freePort();
    const output: string[] = [];
    const child = spawn(process.execPath, ['dist/main.js'], {
      env: { PATH: process.env.PATH, PORT: String(port), LOG_LEVEL: 'warn', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text: Buffer) => output.push(text.toString()));
    const service = new ServiceProcess(`http://127.0.0.1:${port}`, child, output);
    await service.waitUntilReady();
    return service;
  }

  /** Ends the process at once, or lets it end by itself, and waits for that. */
  async kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const exit = once(this.child, 'exit');
      this.child.kill(signal);
      await exit;
    }
    return this.child.exitCode;
  }

  /** The bytes of its heap in use after a collection; it must have been started with `report-heap.cjs`. */
  async heapInUse(): Promise<number> {
    const seen = this.output.length;
    this.child.kill('SIGUSR2');
    for (let waited = 0; waited < START_DEADLINE_MS; waited += 25) {
      const [, bytes] = /heap in use: (\d+)/.exec(this.output.slice(seen).join('')) ?? [];
      if (bytes !== undefined) return Number(bytes);
      await sleep(25);
    }
    throw new Error('The service does not tell its heap');
  }

  private async waitUntilReady(): Promise<void> {
    const deadline = Date.now() + START_DEADLINE_MS;
    while (Date.now() < deadline && this.child.exitCode === null) {
      const ready = await fetch(`${this.baseUrl}/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (ready) return;
      await sleep(25);
    }
    await this.kill('SIGKILL');
    throw new Error(`The service did not become ready:\n${this.output.join('')}`);
  }
}
