import { execFile, execFileSync, type ExecFileSyncOptions } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { CreatedTouchpoint, ServiceProcess } from '../service/service-process';

/** The service as it was built at some commit, or as it is here. */
export class ReleasedProgram {
  /** What stands in this directory, built. */
  static readonly here = new ReleasedProgram(resolve('.'));

  private constructor(
    private readonly directory: string,
    private readonly isOurs = false,
  ) {}

  /** Takes a commit from the history and builds it, which takes about a minute. */
  static build(commit: string): ReleasedProgram {
    const directory = mkdtempSync(join(tmpdir(), 'released-'));
    const inside: ExecFileSyncOptions = { cwd: directory, stdio: ['ignore', 'ignore', 'inherit'] };
    const files = execFileSync('git', ['archive', commit], { maxBuffer: 256 * 1024 * 1024 });
    execFileSync('tar', ['--extract'], { cwd: directory, input: files });
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error'], inside);
    execFileSync('npm', ['run', '--silent', 'build'], inside);
    return new ReleasedProgram(directory, true);
  }

  start(env: Record<string, string>): Promise<ServiceProcess> {
    return ServiceProcess.start(env, { directory: this.directory });
  }

  createTouchpoint(env: Record<string, string>, code: string): CreatedTouchpoint {
    return CreatedTouchpoint.createBy(this.directory, env, code);
  }

  /** Applies its migrations, while whoever waits goes on. */
  async migrate(env: Record<string, string>): Promise<void> {
    await promisify(execFile)(process.execPath, ['dist/cli.js', 'db', 'migrate'], {
      cwd: this.directory,
      env: { PATH: process.env.PATH, ...env },
    });
  }

  /** Deletes what was built, and never what stands here. */
  dispose(): void {
    if (this.isOurs) rmSync(this.directory, { recursive: true });
  }
}
