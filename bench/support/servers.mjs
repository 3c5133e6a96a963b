import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { registerConsumers } from './consumers.mjs';
import { startPostgres } from './postgres.mjs';
import { cpuMs, freePort, startNode } from './processes.mjs';

/** The same for the service and for what it is compared with. */
export const BCRYPT_COST = 10;
const APP_SECRET = 'a secret of the benchmark that opens nothing';
const CONSUMERS = 64;
const START_DEADLINE_MS = 30_000;
const NO_EVENTS = ['--import', resolve(import.meta.dirname, 'no-events.mjs')];
const FREE_HASH = ['--import', resolve(import.meta.dirname, 'free-hash.mjs')];

/**
 * `cpuMs` is the CPU time of the server and its database; `headers` are a touchpoint's credential.
 *
 * @typedef {Awaited<ReturnType<typeof startServer>> & { headers: Record<string, string> }} Server
 * @typedef {Server & { cli: (...args: string[]) => any, migrate: () => Promise<unknown> }} Service
 * @typedef {import('./postgres.mjs').Postgres} Postgres
 */

/**
 * The built service in production mode. Its limits count and are too high to be met.
 *
 * @param {Postgres} postgres
 * @param {{ freeHash?: boolean, noEvents?: boolean, channelProof?: string, env?: Record<string, string> }} [options]
 * @returns {Promise<Service>}
 */
export async function startService(
  postgres,
  { freeHash = false, noEvents = false, channelProof = 'NONE', env: further } = {},
) {
  const directory = mkdtempSync(join(tmpdir(), 'bench-'));
  const env = {
    PATH: process.env.PATH,
    NODE_ENV: 'production',
    DATABASE_URL: postgres.url,
    DATA_DIR: join(directory, 'data'),
    JWT_KEYS_FILE: join(directory, 'jwt-keys.json'),
    APP_SECRET,
    BCRYPT_COST: String(BCRYPT_COST),
    RATE_LIMIT_BURST: '1000000000',
    RATE_LIMIT_SUSTAINED: '1000000000',
    ...further,
  };
  const cli = (/** @type {string[]} */ ...args) =>
    JSON.parse(execFileSync(process.execPath, ['dist/cli.js', ...args, '--json'], { env, encoding: 'utf8' }));
  // Beside what else this process does.
  const migrate = () => promisify(execFile)(process.execPath, ['dist/cli.js', 'db', 'migrate'], { env });
  cli('keys', 'generate');
  const program = [...(freeHash ? FREE_HASH : []), ...(noEvents ? NO_EVENTS : []), 'dist/main.js'];
  const server = await startServer({ program, env, directory, readyPath: '/health/ready', postgres });
  const touchpoint = ['--code', `bench-${server.pid}`, '--channel-proof', channelProof];
  const { code, key } = cli('touchpoint', 'create', ...touchpoint);
  return { ...server, headers: { 'X-Touchpoint-Code': code, 'X-Touchpoint-Key': key }, cli, migrate };
}

/**
 * The bare reference on the same database, which the service has migrated, and for the same touchpoint.
 *
 * @param {Postgres} postgres
 * @param {Record<string, string>} headers
 * @param {{ freeHash?: boolean }} [options]
 * @returns {Promise<Server>}
 */
export async function startRawSpec(postgres, headers, { freeHash = false } = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'bench-'));
  const program = [...(freeHash ? FREE_HASH : []), resolve(import.meta.dirname, '../raw-spec.mjs')];
  const env = { PATH: process.env.PATH, DATABASE_URL: postgres.url, APP_SECRET, BCRYPT_COST: String(BCRYPT_COST) };
  const server = await startServer({ program, env, directory, readyPath: '/health/live', postgres });
  return { ...server, headers };
}

/**
 * Runs `work` with the service and the bare reference on one PostgreSQL, and with consumers of both.
 *
 * @template T
 * @param {(rig: {
 *   service: Service, rawSpec: Server, postgres: Postgres, consumers: import('./consumers.mjs').Consumer[] }) => Promise<T>} work
 * @param {{ freeHash?: boolean }} [options]
 */
export async function withServers(work, options) {
  const postgres = await startPostgres();
  const service = await startService(postgres, options);
  const rawSpec = await startRawSpec(postgres, service.headers, options);
  try {
    return await work({ service, rawSpec, postgres, consumers: await registerConsumers(service, CONSUMERS) });
  } finally {
    await rawSpec.stop();
    await service.stop();
    postgres.stop();
  }
}

/**
 * Starts a Node program, its output in a file as under a supervisor, and waits until `readyPath` answers 200.
 *
 * @param {{
 *   program: string[], env: Record<string, string | undefined>, directory: string, readyPath: string, postgres: Postgres
 * }} options
 */
async function startServer({ program, env, directory, readyPath, postgres }) {
  const port = await freePort();
  const output = openSync(join(directory, 'output'), 'a');
  const startedAt = performance.now();
  const { pid, hasEnded, stop } = startNode(program, {
    env: { ...env, PORT: String(port) },
    stdio: ['ignore', output, 'inherit'],
  });
  const baseUrl = `http://127.0.0.1:${port}`;
  while (!(await answers(baseUrl + readyPath))) {
    if (hasEnded() || performance.now() - startedAt > START_DEADLINE_MS) {
      throw new Error(`${program.join(' ')} did not become ready`);
    }
    await sleep(5);
  }
  return {
    baseUrl,
    pid,
    startedInMs: performance.now() - startedAt,
    cpuMs: () => cpuMs(pid) + postgres.cpuMs(),
    stop: async () => {
      await stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const answers = (/** @type {string} */ url) =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
