import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from '../api/api-client';
import { freePort } from './free-port';
import { Services } from './services';

const START_DEADLINE_MS = 90_000;

/** As `npm run start:prod` has it, without npm between. */
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { 'start:prod': string } };
const START = scripts['start:prod'].split(' ').slice(1);

export interface ServiceProcessOptions {
  /** A shell command that comes first, such as `ulimit -n 64`. */
  limit?: string;
  /** Where the built service stands, if it is another one. */
  directory?: string;
}

/** The built service as a process of its own, to be killed. */
export class ServiceProcess {
  private constructor(
    readonly baseUrl: string,
    private readonly child: ChildProcess,
    /** Everything it has printed so far. */
    readonly output: string[],
  ) {}

  static async start(env: Record<string, string>, options: ServiceProcessOptions = {}): Promise<ServiceProcess> {
    const service = await ServiceProcess.launch(env, options);
    await service.waitUntilReady();
    return service;
  }

  /** Begins a process that may never become ready. */
  static async launch(
    env: Record<string, string>,
    { limit = 'true', directory = '.' }: ServiceProcessOptions = {},
  ): Promise<ServiceProcess> {
    const port = await freePort();
    const output: string[] = [];
    const child = spawn('bash', ['-c', `${limit} && exec "$0" "$@"`, process.execPath, ...START], {
      cwd: directory,
      env: { PATH: process.env.PATH, PORT: String(port), LOG_LEVEL: 'warn', CONSOLE_PORT: 'off', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text: Buffer) => output.push(text.toString()));
    const baseUrl = `http://127.0.0.1:${port}`;
    Services.ofFile.keepPrinted(baseUrl, () => output.join(''));
    return new ServiceProcess(baseUrl, child, output);
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** What it logged of requests that failed by no fault that it knows. */
  get faultsLogged(): string[] {
    return this.output
      .join('')
      .split('\n')
      .filter((line) => line.includes('A request failed unexpectedly'));
  }

  get residentMib(): number {
    const status = readFileSync(`/proc/${this.child.pid}/status`, 'utf8');
    return Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024);
  }

  /** Sends a signal, without waiting for anything. */
  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Ends the process at once, or lets it end by itself, and waits for that. */
  async kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    if (!this.hasEnded) this.child.kill(signal);
    return this.end();
  }

  /** Waits until it has ended, and tells its exit code. */
  async end(): Promise<number | null> {
    if (!this.hasEnded) await once(this.child, 'exit');
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

  isReady(): Promise<boolean> {
    return fetch(`${this.baseUrl}/health/ready`, { signal: AbortSignal.timeout(5_000) }).then(
      async (response) => {
        await response.body?.cancel();
        return response.ok;
      },
      () => false,
    );
  }

  /** What `/health/ready` says: `ok`, or `degraded`. */
  async health(): Promise<string> {
    const response = await fetch(`${this.baseUrl}/health/ready`);
    return ((await response.json()) as { status: string }).status;
  }

  /** How many milliseconds that took. */
  async waitUntilReady(): Promise<number> {
    const startedAt = performance.now();
    while (performance.now() - startedAt < START_DEADLINE_MS && !this.hasEnded) {
      if (await this.isReady()) return Math.round(performance.now() - startedAt);
      await sleep(25);
    }
    await this.kill('SIGKILL');
    throw new Error(`The service did not become ready:\n${this.output.join('')}`);
  }
}

/** A touchpoint that the command line makes, with no limit of its own. */
export class CreatedTouchpoint {
  private constructor(private readonly headers: Record<string, string>) {}

  static create(env: Record<string, string>, code: string, ...options: string[]): CreatedTouchpoint {
    return CreatedTouchpoint.createBy('.', env, code, ...options);
  }

  /** By the command line of the service that is built in a directory. */
  static createBy(
    directory: string,
    env: Record<string, string>,
    code: string,
    ...options: string[]
  ): CreatedTouchpoint {
    const create = ['dist/cli.js', 'touchpoint', 'create', '--code', code, '--rate-limit', 'unlimited'];
    const output = execFileSync(process.execPath, [...create, ...options, '--json'], {
      cwd: directory,
      env: { PATH: process.env.PATH, ...env },
      encoding: 'utf8',
    });
    const { key } = JSON.parse(output) as { key: string };
    return new CreatedTouchpoint({ 'X-Touchpoint-Code': code, 'X-Touchpoint-Key': key });
  }

  clientOf({ baseUrl }: { baseUrl: string }): ApiClient {
    return new ApiClient(baseUrl, this.headers);
  }
}
