import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const END = '<<end of the command>>';

/** A shell that stays open, so that a command finds the variables and files of those before it. */
export class Shell {
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly lines: AsyncIterator<string>;

  constructor(cwd: string, env: Record<string, string>) {
    this.child = spawn('bash', ['--norc'], { cwd, env: { PATH: process.env.PATH ?? '', ...env } });
    this.lines = createInterface(this.child.stdout)[Symbol.asyncIterator]();
    this.child.stdin.write('exec 2>&1\n');
  }

  /** What the command prints, errors included. */
  async run(command: string): Promise<string> {
    this.child.stdin.write(`${command}\nprintf '\\n%s\\n' '${END}'\n`);
    const printed: string[] = [];
    for (;;) {
      const line = await this.lines.next();
      if (line.done) throw new Error(`The shell has ended:\n${printed.join('\n')}`);
      if (line.value === END) return printed.join('\n');
      printed.push(line.value);
    }
  }

  async close(): Promise<void> {
    const exit = once(this.child, 'exit');
    this.child.stdin.end();
    await exit;
  }
}
