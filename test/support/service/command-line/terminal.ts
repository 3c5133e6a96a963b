import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { until } from '../../until';
import { CLI_PROGRAM } from './cli';

/** What a terminal takes as Ctrl-C. */
export const CTRL_C = '\u0003';

// eslint-disable-next-line no-control-regex -- colours, and moves of the cursor
const CONTROL = /\u001b\[[\d;?]*[a-zA-Z]/g;

export const withoutControl = (output: string): string => output.replace(CONTROL, '');

/** A terminal of 100 columns, where somebody reads and types; `script`, which every Linux has, makes it. */
export class Terminal {
  private shown = '';
  readonly exitCode: Promise<number>;
  private readonly process: ChildProcess;
  private read = 0;

  /** Runs a line of a shell in which `cli` is the program. */
  constructor(line: string, env: Record<string, string>) {
    const program = `stty cols 100 rows 40; cli() { '${process.execPath}' '${CLI_PROGRAM}' "$@"; }; ${line}`;
    this.process = spawn('script', ['-qefc', program, '/dev/null'], {
      cwd: tmpdir(),
      env: { PATH: process.env.PATH ?? '', SHELL: '/bin/sh', TERM: 'xterm', ...env },
    });
    this.process.stdout?.setEncoding('utf8').on('data', (text: string) => (this.shown += text));
    this.exitCode = once(this.process, 'close').then(([code]) => Number(code));
  }

  /** Everything that was shown, with colours and moves of the cursor, in lines as of a pipe. */
  get output(): string {
    return this.shown.replaceAll('\r\n', '\n');
  }

  get text(): string {
    return withoutControl(this.output);
  }

  /** Waits for a question, and types the answer. */
  async answer(question: string, typed: string): Promise<void> {
    await until(() => this.output.includes(question, this.read));
    this.read = this.output.indexOf(question, this.read) + question.length;
    this.process.stdin?.write(typed);
  }
}

/** What a command shows at a terminal, and its exit code. */
export async function atTerminal(line: string, env: Record<string, string>): Promise<[text: string, exitCode: number]> {
  const terminal = new Terminal(line, env);
  const exitCode = await terminal.exitCode;
  return [terminal.output, exitCode];
}
