import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort } from './free-port.mjs';
import { SWITCHABLE_HASH } from './hash-switch.mjs';
import { startServer } from './server-process.mjs';

/** The same cost for the service and for what it is compared with. */
export const BCRYPT_COST = 10;
export const APP_SECRET = 'a secret of the benchmark that opens nothing';

/** For profiles: `BENCH_NODE_FLAGS='--cpu-prof --cpu-prof-dir=/tmp/profiles'`. */
const FLAGS = process.env.BENCH_NODE_FLAGS?.split(' ') ?? [];

/** As `npm run start:prod` has it, without npm between. */
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
const START = scripts['start:prod'].split(' ').slice(1);

const NOT_SWITCHABLE = { flags: [], env: {} };

/**
 * @typedef {import('./server-process.mjs').ServerProcess & {
 *   name: string, headers: Record<string, string>, cli: (...args: string[]) => any, stop: () => Promise<void> }} Service
 */

/**
 * Settings of the service in production mode, and its command line. Its limits count and are too high to be met.
 *
 * @param {string} directory
 * @param {Record<string, string | undefined>} env
 */
export function productionSettings(directory, env) {
  const settings = {
    NODE_ENV: 'production',
    DATA_DIR: join(directory, 'data'),
    APP_SECRET,
    JWT_KEYS_FILE: join(directory, 'jwt-keys.json'),
    BCRYPT_COST: String(BCRYPT_COST),
    RATE_LIMIT_BURST: '1000000000',
    RATE_LIMIT_SUSTAINED: '1000000000',
    ...env,
  };
  const cli = (/** @type {string[]} */ ...args) =>
    JSON.parse(
      execFileSync(process.execPath, ['dist/cli.js', ...args, '--json'], {
        env: { PATH: process.env.PATH, ...settings },
        encoding: 'utf8',
      }),
    );
  return { settings, cli };
}

/**
 * The built service, and a touchpoint: on the database given, or else embedded.
 *
 * @param {{ databaseUrl?: string | undefined, switchableHash?: boolean, channelProof?: string }} [options]
 * @returns {Promise<Service>}
 */
export async function startService({ databaseUrl, switchableHash = false, channelProof = 'NONE' } = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'bench-'));
  const { settings, cli } = productionSettings(directory, { DATABASE_URL: databaseUrl ?? 'embedded' });
  cli('keys', 'generate');
  const server = await startReplica({ settings, directory, port: await freePort(), switchableHash });
  const { code, key } = cli('touchpoint', 'create', '--code', `bench-${server.pid}`, '--channel-proof', channelProof);
  return {
    ...server,
    name: 'the service',
    headers: { 'X-Touchpoint-Code': code, 'X-Touchpoint-Key': key },
    cli,
    stop: async () => {
      await server.end();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/**
 * @param {{ settings: Record<string, string | undefined>, directory: string, port: number, switchableHash?: boolean }} options
 */
export function startReplica({ settings, directory, port, switchableHash = false }) {
  const { flags, env } = switchableHash ? SWITCHABLE_HASH : NOT_SWITCHABLE;
  const program = [...FLAGS, ...flags, ...START];
  return startServer({ program, env: { ...settings, ...env }, port, directory, readyPath: '/health/ready' });
}

/**
 * The bare reference on the same database, which the service has migrated, and for the same touchpoint.
 *
 * @param {{ databaseUrl: string, headers: Record<string, string>, switchableHash?: boolean }} options
 * @returns {Promise<Omit<Service, 'cli'>>}
 */
export async function startReference({ databaseUrl, headers, switchableHash = false }) {
  const directory = mkdtempSync(join(tmpdir(), 'bench-'));
  const port = await freePort();
  const { flags, env: switching } = switchableHash ? SWITCHABLE_HASH : NOT_SWITCHABLE;
  const program = [...flags, resolve(import.meta.dirname, '../reference/raw-spec.mjs')];
  const env = { DATABASE_URL: databaseUrl, APP_SECRET, ...switching };
  const server = await startServer({ program, env, port, directory, readyPath: '/health/live' });
  return {
    ...server,
    name: 'raw-spec',
    headers,
    stop: async () => {
      await server.end();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
