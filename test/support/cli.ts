import { type ChildProcess, execFile, execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');
export const CLI_PROGRAM = join(ROOT, 'dist/cli.js');

export interface CliResult {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Builds what the command line is run from, where that is missing or older than its source. */
export function buildCli(): void {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, withFileTypes: true }).filter((file) =>
    file.isFile(),
  );
  const newest = Math.max(...files.map((file) => statSync(join(file.parentPath, file.name)).mtimeMs));
  if (existsSync(CLI_PROGRAM) && statSync(CLI_PROGRAM).mtimeMs > newest) return;
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, stdio: 'ignore' });
}

/** Runs one command as an administrator does: in a process of its own, with these settings and no others. */
export const runCli = (env: Record<string, string>, ...args: string[]): Promise<CliResult> =>
  startCli(env, ...args).result;

/** The same, as a process that can be ended before it is done. */
export function startCli(
  env: Record<string, string>,
  ...args: string[]
): { child: ChildProcess; result: Promise<CliResult> } {
  const options = { cwd: tmpdir(), env: { PATH: process.env.PATH ?? '', ...env } };
  let done: (result: CliResult) => void;
  const result = new Promise<CliResult>((resolve) => (done = resolve));
  const child = execFile(process.execPath, [CLI_PROGRAM, ...args], options, (_error, stdout, stderr) => {
    done({ exitCode: child.exitCode ?? -1, stdout, stderr });
  });
  return { child, result };
}

/** Two at a time: a process for each of many at once would outgrow a small machine. */
export async function inTwos<T, R>(items: T[], run: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += 2) results.push(...(await Promise.all(items.slice(at, at + 2).map(run))));
  return results;
}
