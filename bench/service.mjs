import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const START_DEADLINE = 30_000;

/**
 * The built service, on `BENCH_DATABASE_URL` or else on a throw-away embedded database.
 *
 * @typedef {{ baseUrl: string, cli: (...args: string[]) => any, stop: () => Promise<void> }} Service
 * @returns {Promise<Service>}
 */
export async function startService() {
  const dataDir = mkdtempSync(join(tmpdir(), 'bench-'));
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const env = {
    PATH: process.env.PATH,
    DATA_DIR: dataDir,
    DATABASE_URL: process.env.BENCH_DATABASE_URL,
    PORT: String(port),
    LOG_LEVEL: 'warn',
  };
  const child = spawn(process.execPath, ['dist/main.js'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  await waitUntilReady(baseUrl);
  return {
    baseUrl,
    cli: (...args) =>
      JSON.parse(execFileSync(process.execPath, ['dist/cli.js', ...args, '--json'], { env, encoding: 'utf8' })),
    stop: async () => {
      child.kill('SIGTERM');
      await once(child, 'exit');
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** @param {string} baseUrl */
async function waitUntilReady(baseUrl) {
  const deadline = Date.now() + START_DEADLINE;
  while (Date.now() < deadline) {
    const ready = await fetch(`${baseUrl}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (ready) return;
    await sleep(50);
  }
  throw new Error('The service did not become ready');
}

/** @returns {Promise<number>} */
async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('No port');
  return address.port;
}
