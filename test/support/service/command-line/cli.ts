import { type ChildProcess, execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(__dirname, '../../../..');
export const CLI_PROGRAM = join(ROOT, 'dist/cli.js');

export interface CliResult {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Runs one command as an administrator does: in a process of its own, with these settings and no others. */
export const runCli = (env: Record<string, string>, ...args: string[]): Promise<CliResult> =>
  startCli(env, ...args).result;

/** The same, as a process that can be ended before it is done. */
export function startCli(
  env: Record<string, string>,
  ...args: string[]
): { child: ChildProcess; result: Promise<CliResult> } {
  // Node.js would end a command that prints more than a mebibyte, as an export of other files' consumers may.
  const options = { cwd: tmpdir(), env: { PATH: process.env.PATH ?? '', ...env }, maxBuffer: Infinity };
  let done: (result: CliResult) => void;
  const result = new Promise<CliResult>((resolve) => (done = resolve));
  const child = execFile(process.execPath, [CLI_PROGRAM, ...args], options, (_error, stdout, stderr) => {
    done({ exitCode: child.exitCode ?? -1, stdout, stderr });
  });
  return { child, result };
}
