import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { endWithUs } from './end-with-us.mjs';
import { freePort } from './free-port.mjs';
import { familyProcessorMs } from './processor.mjs';

const START_DEADLINE_MS = 10_000;

/**
 * An empty database; `processorMs` is that of its whole server, or null where that is somebody else's.
 *
 * @typedef {{ url: string, version: string, processorMs: () => number | null, stop: () => Promise<void> }} Postgres
 */

/**
 * A database of its own on `BENCH_DATABASE_URL`, or else on a throw-away cluster with PostgreSQL's own settings but for
 * those given.
 *
 * @param {Record<string, string>} [settings]
 * @returns {Promise<Postgres>} */
export async function startPostgres(settings = {}) {
  const given = process.env.BENCH_DATABASE_URL;
  if (given !== undefined) return databaseOn(given);
  const directory = mkdtempSync(join(tmpdir(), 'bench-postgres-'));
  const account = unprivilegedAccount();
  if (account) chownSync(directory, account.uid, account.gid);
  const data = join(directory, 'data');
  execFileSync(program('initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'], {
    ...account,
    cwd: '/',
    stdio: 'ignore',
  });
  const port = await freePort();
  const options = ['-D', data, '-p', String(port), '-k', directory, '-c', 'listen_addresses=127.0.0.1'];
  for (const [name, value] of Object.entries(settings)) options.push('-c', `${name}=${value}`);
  const child = spawn(program('postgres'), options, { ...account, cwd: '/', stdio: 'ignore' });
  endWithUs(child);
  const pid = child.pid ?? 0;
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const version = await waitForVersion(url);
  return {
    url,
    version,
    processorMs: () => familyProcessorMs(pid),
    stop: async () => {
      const exit = once(child, 'exit');
      // Ends connections that are still open.
      child.kill('SIGINT');
      await exit;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** @param {string} url
 * @returns {Promise<Postgres>} */
async function databaseOn(url) {
  const name = `bench_${process.pid}`;
  await withClient(url, (client) => client.query(`CREATE DATABASE ${name}`));
  const own = new URL(url);
  own.pathname = `/${name}`;
  return {
    url: own.href,
    version: await waitForVersion(own.href),
    processorMs: () => null,
    stop: () => withClient(url, (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`)).then(() => undefined),
  };
}

/**
 * @template T
 * @param {string} url
 * @param {(client: Client) => Promise<T>} work
 */
export async function withClient(url, work) {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** @param {string} url */
async function waitForVersion(url) {
  const deadline = performance.now() + START_DEADLINE_MS;
  for (;;) {
    try {
      return await withClient(url, async (client) => {
        const { rows } = await client.query('SHOW server_version');
        return /** @type {string} */ (rows[0].server_version);
      });
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await sleep(50);
    }
  }
}

/** PostgreSQL refuses to run as root. */
function unprivilegedAccount() {
  if (process.getuid?.() !== 0) return null;
  const id = (/** @type {string} */ option) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** Debian keeps the server's programs off the path.
 * @param {string} name */
export function program(name) {
  const root = '/usr/lib/postgresql';
  const [newest] = readdirSync(root).sort((a, b) => Number(b) - Number(a));
  if (newest === undefined) throw new Error('PostgreSQL is not installed: bash scripts/start-services.sh');
  return join(root, newest, 'bin', name);
}
