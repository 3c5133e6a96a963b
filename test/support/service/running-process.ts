import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port';

const ROOT = join(__dirname, '../../..');
const START_DEADLINE_MS = 90_000;
const ANSWER_DEADLINE_MS = 5_000;
const STOP_DEADLINE_MS = 30_000;

/** As `npm run start:prod` has it, without npm between. */
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: { 'start:prod': string };
};
const START = scripts['start:prod'].split(' ').slice(1);

/** The clock of a service that was started with `TEST_CLOCK=movable`. */
export interface ClockChange {
  stop?: true;
  advanceMs?: number;
}

/** The built service in a process of its own, which ends with the process that started it. */
export class RunningProcess {
  private constructor(
    readonly baseUrl: string,
    readonly logPath: string,
    private readonly child: ChildProcess,
  ) {}

  static async start(env: Record<string, string>, logPath: string): Promise<RunningProcess> {
    const port = env.PORT ?? String(await freePort());
    const log = openSync(logPath, 'a');
    const child = spawn(process.execPath, ['--require', join(__dirname, 'clock/hooks.cjs'), ...START], {
      cwd: ROOT,
      env: { PATH: process.env.PATH, ...env, PORT: port },
      stdio: ['ignore', log, log, 'ipc'],
    });
    closeSync(log);
    child.unref();
    child.channel?.unref();
    const service = new RunningProcess(`http://127.0.0.1:${port}`, logPath, child);
    await service.waitUntilReady();
    return service;
  }

  get logSize(): number {
    return statSync(this.logPath).size;
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Stops or moves the clock, and tells what time it is then. */
  async changeClock(change: ClockChange): Promise<number> {
    const answered = once(this.child, 'message');
    this.child.send(change);
    const [{ epochMs }] = (await answered) as [{ epochMs: number }];
    return epochMs;
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Waits until the process has ended, and tells its exit code. */
  async stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    if (this.hasEnded) return this.child.exitCode;
    // Nothing else may keep this process alive until then.
    this.child.ref();
    const exited = once(this.child, 'exit', { signal: AbortSignal.timeout(STOP_DEADLINE_MS) });
    this.child.kill(signal);
    await exited.catch(() => {
      throw new Error(`The service did not stop after ${signal}:\n${readFileSync(this.logPath, 'utf8')}`);
    });
    return this.child.exitCode;
  }

  private async waitUntilReady(): Promise<void> {
    const deadline = performance.now() + START_DEADLINE_MS;
    let answer = '';
    while (performance.now() < deadline && !this.hasEnded) {
      answer = await this.readiness();
      if (answer === '200') return;
      await sleep(20);
    }
    this.child.kill('SIGKILL');
    const log = readFileSync(this.logPath, 'utf8');
    const state = this.hasEnded ? `exit code ${this.child.exitCode}` : answer;
    throw new Error(`The service did not become ready (${state}):\n${log}`);
  }

  /** The status that it answers, or why it does not. */
  private readiness(): Promise<string> {
    return fetch(`${this.baseUrl}/health/ready`, { signal: AbortSignal.timeout(ANSWER_DEADLINE_MS) }).then(
      async ({ status, body }) => {
        await body?.cancel();
        return String(status);
      },
      (error: unknown) => String((error as Error).cause ?? error),
    );
  }
}
