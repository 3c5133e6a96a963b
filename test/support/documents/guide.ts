import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { ApiClient } from '../api/api-client';

const ROOT = join(__dirname, '../../..');

/** Each SIGUSR2 moves the clock of the website on by twenty minutes. */
const MOVABLE_CLOCK = `data:text/javascript,${encodeURIComponent(
  'const now = Date.now; let ahead = 0; process.on("SIGUSR2", () => console.log(ahead += 1_200_000)); Date.now = () => now() + ahead;',
)}`;

/** The website of a guide: the code that its page shows, as a process. */
export class GuideWebsite {
  private constructor(
    readonly baseUrl: string,
    private readonly child: ChildProcessByStdio<null, Readable, null>,
    private readonly directory: string,
  ) {}

  static async start(page: string, client: ApiClient): Promise<GuideWebsite> {
    const [, code] = /```js\n([^]*?)```/.exec(readFileSync(join(ROOT, page), 'utf8')) ?? [];
    if (code === undefined) throw new Error(`${page} shows no code`);
    // Where packages are found as after `npm install`.
    const directory = await mkdtemp(join(ROOT, 'node_modules/.guide-'));
    const file = join(directory, 'website.mjs');
    await writeFile(file, code);
    const env = {
      ...{ PATH: process.env.PATH, PORT: '0', SERVICE_URL: client.baseUrl },
      TOUCHPOINT_CODE: client.headers['X-Touchpoint-Code'],
      TOUCHPOINT_KEY: client.headers['X-Touchpoint-Key'],
    };
    const child = spawn(process.execPath, ['--import', MOVABLE_CLOCK, file], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [printed] = (await once(child.stdout, 'data')) as [Buffer];
    return new GuideWebsite(new URL(printed.toString().trim()).origin, child, directory);
  }

  async waitTwentyMinutes(): Promise<void> {
    const moved = once(this.child.stdout, 'data');
    this.child.kill('SIGUSR2');
    await moved;
  }

  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit');
    await rm(this.directory, { recursive: true });
  }
}
