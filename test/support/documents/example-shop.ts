import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import type { ApiClient } from '../api/api-client';
import { ROOT } from './pages';

const SHOP = join(ROOT, 'examples/shop-express');
const CLIENT = join(ROOT, 'clients/typescript');

/** The example shop as a process, in a copy where its packages are found as after `npm install`. */
export class ExampleShop {
  private constructor(
    readonly baseUrl: string,
    private readonly child: ChildProcessByStdio<null, Readable, null>,
    private readonly directory: string,
  ) {}

  static async start({ baseUrl, headers }: ApiClient, settings: Record<string, string> = {}): Promise<ExampleShop> {
    // Express is the service's own.
    const directory = await mkdtemp(join(ROOT, 'node_modules/.shop-'));
    await cp(SHOP, directory, { recursive: true, filter: (path) => basename(path) !== 'node_modules' });
    const installed = join(directory, 'node_modules/consumer-service-client');
    await cp(join(CLIENT, 'package.json'), join(installed, 'package.json'));
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    await promisify(execFile)(process.execPath, [tsc, '-p', CLIENT, '--outDir', join(installed, 'dist')]);
    const child = spawn(process.execPath, ['server.js'], {
      cwd: directory,
      env: {
        ...{ PATH: process.env.PATH, PORT: '0', SERVICE_URL: baseUrl },
        ...{ TOUCHPOINT_CODE: headers['X-Touchpoint-Code'], TOUCHPOINT_KEY: headers['X-Touchpoint-Key'] },
        ...settings,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit').then(([status]) => Promise.reject(new Error(`The shop ended: ${status}`)));
    const [printed] = (await Promise.race([once(child.stdout, 'data'), ended])) as [Buffer];
    ended.catch(() => undefined);
    return new ExampleShop(printed.toString().trim(), child, directory);
  }

  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit');
    await rm(this.directory, { recursive: true });
  }
}
