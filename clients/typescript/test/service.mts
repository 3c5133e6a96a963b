import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { TouchpointCredential } from 'consumer-service-client';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const DEADLINE = 180_000;

export interface ListedMessage {
  to: string;
  state: string;
  code: string | null;
}

/** The built service on an embedded database of its own. */
export interface Service {
  baseUrl: string;
  cli<T>(...args: string[]): T;
  touchpoint(...options: string[]): TouchpointCredential;
  codeSentTo(address: string): Promise<string>;
  /** Ends it without warning, and starts it again on the same data. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export async function startService(): Promise<Service> {
  const dataDir = mkdtempSync(join(tmpdir(), 'client-test-'));
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const env = {
    PATH: process.env.PATH,
    ...{ DATA_DIR: dataDir, PORT: String(port), CONSOLE_PORT: 'off', LOG_LEVEL: 'warn' },
    ...{ BCRYPT_COST: '4', HASH_WORKERS: '1' },
  };
  const spawnService = () =>
    spawn(process.execPath, ['dist/main.js'], { cwd: ROOT, env, stdio: ['ignore', 'ignore', 'inherit'] });
  let child = spawnService();
  const cli = <T,>(...args: string[]): T => {
    const stdout = execFileSync(process.execPath, ['dist/cli.js', ...args, '--json'], { cwd: ROOT, env });
    return JSON.parse(stdout.toString()) as T;
  };
  const end = async (signal: NodeJS.Signals) => {
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  };
  const isReady = () => until(() => fetch(`${baseUrl}/health/ready`).then(({ ok }) => ok || null));
  await isReady().catch(async (error: unknown) => {
    await end('SIGKILL');
    throw error;
  });
  let touchpoints = 0;
  return {
    baseUrl,
    cli,
    touchpoint: (...options) => cli('touchpoint', 'create', '--code', `client-${(touchpoints += 1)}`, ...options),
    codeSentTo: (address) =>
      until(() => {
        const messages = cli<ListedMessage[]>('message', 'list', '--to', address);
        return Promise.resolve(messages.findLast(({ state }) => state === 'delivered')?.code ?? null);
      }),
    restart: async () => {
      await end('SIGKILL');
      child = spawnService();
      await isReady();
    },
    stop: async () => {
      await end('SIGTERM');
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function until<T>(ask: () => Promise<T | null>): Promise<T> {
  const end = performance.now() + DEADLINE;
  while (performance.now() < end) {
    const answer = await ask().catch(() => null);
    if (answer !== null) return answer;
    await sleep(100);
  }
  throw new Error('The service did not come to it in time');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
