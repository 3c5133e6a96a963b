import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CliResult } from './cli';

export interface Command {
  args: string[];
  env: Record<string, string>;
  /** What time it is, where that is not the real time. */
  epochMs?: number;
}

/** The command line in a process that runs many commands, one at a time: loading is most of what each one takes. */
export class WarmCli {
  private child: ChildProcess | undefined;
  /** Aborts when the process has ended. */
  private end = new AbortController();
  private last: Promise<unknown> = Promise.resolve();

  run(command: Command): Promise<CliResult> {
    const result = this.last.then(() => this.runNext(command));
    this.last = result.catch(() => undefined);
    return result;
  }

  private async runNext({ env, ...command }: Command): Promise<CliResult> {
    const child = (this.child ??= this.start());
    const answered = once(child, 'message', { signal: this.end.signal });
    child.ref();
    child.channel?.ref();
    child.send({ ...command, env: { PATH: process.env.PATH, ...env } });
    const [result] = (await answered) as [CliResult];
    child.unref();
    child.channel?.unref();
    return result;
  }

  private start(): ChildProcess {
    const child = fork(join(__dirname, 'warm-cli.process.cjs'), {
      cwd: tmpdir(),
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const end = (this.end = new AbortController());
    child.once('exit', () => {
      this.child = undefined;
      end.abort(new Error('The process that runs the commands has ended'));
    });
    return child;
  }
}
