import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { ApiClient } from '../api/api-client';

const ROOT = join(__dirname, '../../..');

/** Each SIGUSR2 moves the clock of the program on by twenty minutes. */
const MOVABLE_CLOCK = `data:text/javascript,${encodeURIComponent(
  'const now = Date.now; let ahead = 0; process.on("SIGUSR2", () => console.log(ahead += 1_200_000)); Date.now = () => now() + ahead;',
)}`;

/** The program that the page of a guide shows, as a process. */
export class GuideProgram {
  private constructor(
    /** What it printed when it was ready. */
    readonly greeting: string,
    private readonly child: ChildProcessByStdio<null, Readable, null>,
    private readonly directory: string,
  ) {}

  static async start(page: string, settings: Record<string, string | undefined>): Promise<GuideProgram> {
    const [, code] = /```js\n([^]*?)```/.exec(readFileSync(join(ROOT, page), 'utf8')) ?? [];
    if (code === undefined) throw new Error(`${page} shows no code`);
    // Where packages are found as after `npm install`.
    const directory = await mkdtemp(join(ROOT, 'node_modules/.guide-'));
    const file = join(directory, 'program.mjs');
    await writeFile(file, code);
    const child = spawn(process.execPath, ['--import', MOVABLE_CLOCK, file], {
      env: { PATH: process.env.PATH, ...settings },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit').then(([status]) => Promise.reject(new Error(`${page} ended: ${status}`)));
    const [printed] = (await Promise.race([once(child.stdout, 'data'), ended])) as [Buffer];
    ended.catch(() => undefined);
    return new GuideProgram(printed.toString().trim(), child, directory);
  }

  /** On the program's own clock. */
  async waitTwentyMinutes(): Promise<void> {
    const moved = once(this.child.stdout, 'data');
    this.child.kill('SIGUSR2');
    await moved;
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    this.child.kill(signal);
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit');
    await rm(this.directory, { recursive: true });
  }
}

/** The website of a guide. */
export class GuideWebsite {
  private constructor(private readonly program: GuideProgram) {}

  static async start(page: string, client: ApiClient): Promise<GuideWebsite> {
    const program = await GuideProgram.start(page, {
      ...{ PORT: '0', API: client.baseUrl },
      TOUCHPOINT_CODE: client.headers['X-Touchpoint-Code'],
      TOUCHPOINT_KEY: client.headers['X-Touchpoint-Key'],
    });
    return new GuideWebsite(program);
  }

  get baseUrl(): string {
    return new URL(this.program.greeting).origin;
  }

  waitTwentyMinutes(): Promise<void> {
    return this.program.waitTwentyMinutes();
  }

  stop(): Promise<void> {
    return this.program.stop();
  }
}
