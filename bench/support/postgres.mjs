import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { cpuMs, freePort } from './processes.mjs';

/** PostgreSQL refuses to run as root. */
const IS_ROOT = process.getuid?.() === 0;

/** @typedef {Awaited<ReturnType<typeof startPostgres>>} Postgres */

/**
 * A throw-away cluster, with PostgreSQL's own settings but for those given.
 *
 * @param {Record<string, string>} [settings]
 */
export async function startPostgres(settings = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'bench-postgres-'));
  if (IS_ROOT) execFileSync('chown', ['postgres', directory]);
  const data = join(directory, 'data');
  run('initdb', '--pgdata', data, '--username', 'postgres', '--auth', 'trust', '--encoding', 'UTF8', '--no-sync');

  const port = await freePort();
  const all = { port, listen_addresses: '127.0.0.1', unix_socket_directories: directory, ...settings };
  const options = Object.entries(all).map(([name, value]) => `-c ${name}=${value}`);
  const log = join(directory, 'log');
  run('pg_ctl', 'start', '--wait', '--silent', '--pgdata', data, '--log', log, '--options', options.join(' '));

  const pid = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
  const stop = () => {
    process.off('exit', stop);
    run('pg_ctl', 'stop', '--wait', '--silent', '--mode', 'fast', '--pgdata', data);
    rmSync(directory, { recursive: true });
  };
  process.once('exit', stop);
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, cpuMs: () => cpuMs(pid), stop };
}

/**
 * @param {string} url
 * @param {string} text
 * @param {unknown[]} [values]
 * @returns {Promise<any[]>}
 */
export async function query(url, text, values) {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** Debian keeps the server's programs off the path. @param {string} name @param {string[]} args */
function run(name, ...args) {
  const [newest] = readdirSync('/usr/lib/postgresql').sort((a, b) => Number(b) - Number(a));
  const command = [`/usr/lib/postgresql/${newest}/bin/${name}`, ...args];
  if (IS_ROOT) command.unshift('runuser', '-u', 'postgres', '--');
  const [program = '', ...rest] = command;
  execFileSync(program, rest, { cwd: '/', stdio: ['ignore', 'ignore', 'inherit'] });
}
