import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Services } from '../service/services';

const DEADLINE_MS = 60_000;

/** The console in a process of its own. */
export class ConsoleProcess {
  private output = '';

  private constructor(private readonly child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (text: Buffer) => (this.output += text.toString()));
    Services.ofFile.keepPrinted('console', () => this.output);
  }

  /** Begins one that may never answer. */
  static launch(env: Record<string, string>): ConsoleProcess {
    return new ConsoleProcess(
      spawn(process.execPath, ['dist/console.js'], {
        env: { PATH: process.env.PATH, LOG_LEVEL: 'warn', ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
  }

  static async start(env: Record<string, string>, baseUrl: string): Promise<ConsoleProcess> {
    const started = ConsoleProcess.launch(env);
    const deadline = performance.now() + DEADLINE_MS;
    while (performance.now() < deadline && started.child.exitCode === null) {
      if (
        await fetch(`${baseUrl}/health/live`).then(
          ({ ok }) => ok,
          () => false,
        )
      )
        return started;
      await sleep(50);
    }
    started.child.kill('SIGKILL');
    throw new Error(`The console did not answer: ${started.output}`);
  }

  /** What it printed, and its exit code, once it has ended. */
  async ended(signal?: NodeJS.Signals): Promise<{ exitCode: number | null; output: string }> {
    const exited = once(this.child, 'exit');
    if (signal) this.child.kill(signal);
    if (this.child.exitCode === null) await exited;
    return { exitCode: this.child.exitCode, output: this.output };
  }
}
