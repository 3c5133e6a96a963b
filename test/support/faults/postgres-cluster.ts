import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePort } from '../service/free-port';
import { until } from '../until';

const VERSIONS = '/usr/lib/postgresql';
const USER = 'postgres';

/** Of the newest PostgreSQL that is installed. */
export const VERSION_DIRECTORY = join(
  VERSIONS,
  String(readdirSync(VERSIONS).toSorted((a, b) => Number(b) - Number(a))[0]),
);

/** A PostgreSQL server of the test's own, to be stopped, frozen and damaged. */
export class PostgresCluster {
  private constructor(
    private readonly directory: string,
    readonly port: number,
  ) {}

  static async start(settings: Record<string, string | number> = {}): Promise<PostgresCluster> {
    const directory = await mkdtemp(join(tmpdir(), 'postgres-'));
    if (process.getuid?.() === 0) execFileSync('chown', [USER, directory]);
    const cluster = new PostgresCluster(directory, await freePort());
    await run(
      'initdb',
      '--pgdata',
      cluster.data,
      '--username',
      USER,
      '--auth',
      'trust',
      '--no-sync',
      '--encoding',
      'UTF8',
    );
    const all = { unix_socket_directories: directory, listen_addresses: '127.0.0.1', ...settings };
    cluster.settings = { port: cluster.port, ...all };
    await cluster.open();
    return cluster;
  }

  private settings: Record<string, string | number> = {};

  private get data(): string {
    return join(this.directory, 'data');
  }

  private get backup(): string {
    return join(this.directory, 'backup');
  }

  get url(): string {
    return `postgres://${USER}@127.0.0.1:${this.port}/postgres`;
  }

  /** Starts the server again. */
  async open(settings: Record<string, string> = {}): Promise<void> {
    const log = join(this.directory, 'log');
    const options = Object.entries({ ...this.settings, ...settings }).map(([name, value]) => `-c '${name}=${value}'`);
    await run(
      'pg_ctl',
      'start',
      '--wait',
      '--silent',
      '--pgdata',
      this.data,
      '--log',
      log,
      '--options',
      options.join(' '),
    );
  }

  /** Copies its files while it runs, for `restoreTo`. */
  async backUp(): Promise<void> {
    const server = ['--host', '127.0.0.1', '--port', String(this.port), '--username', USER];
    await run('pg_basebackup', '--pgdata', this.backup, '--checkpoint', 'fast', ...server);
  }

  /** The present moment, as `restoreTo` takes it. */
  async now(): Promise<string> {
    const [row] = await this.query<{ now: string }>('SELECT clock_timestamp()::text AS now');
    return row?.now ?? '';
  }

  /** Waits until everything that has been written stands in the archive. */
  async archiveAll(): Promise<void> {
    const [row] = await this.query<{ last: string }>('SELECT pg_walfile_name(pg_switch_wal()) AS last');
    const archived = 'SELECT 1 FROM pg_stat_archiver WHERE last_archived_wal >= $1';
    await until(async () => (await this.query<object>(archived, [row?.last])).length > 0);
  }

  /** Once it has stopped: puts the copy in its place, and replays what is archived until this time. */
  async restoreTo(time: string, restoreCommand: string): Promise<void> {
    rmSync(this.data, { recursive: true });
    renameSync(this.backup, this.data);
    writeFileSync(join(this.data, 'recovery.signal'), '');
    await this.open({ restore_command: restoreCommand, recovery_target_time: time, recovery_target_action: 'promote' });
  }

  /** `immediate` is a crash. */
  async stop(mode: 'fast' | 'immediate' = 'fast'): Promise<void> {
    await run('pg_ctl', 'stop', '--wait', '--silent', '--mode', mode, '--pgdata', this.data);
  }

  /** Lets every process of the server stand still: it takes connections and answers nothing. */
  freeze(): void {
    for (const pid of this.pids()) process.kill(pid, 'SIGSTOP');
  }

  thaw(): void {
    for (const pid of this.pids()) process.kill(pid, 'SIGCONT');
  }

  async query<T extends object>(statement: string, values: unknown[] = []): Promise<T[]> {
    const client = new Client({ connectionString: this.url });
    await client.connect();
    try {
      return (await client.query<T>(statement, values)).rows;
    } finally {
      await client.end();
    }
  }

  /** A connection that the service does not have. */
  async connection(): Promise<Client> {
    const client = new Client({ connectionString: this.url });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  /** Another, empty database on the same server. */
  async createDatabase(name: string): Promise<string> {
    await this.query(`CREATE DATABASE ${name}`);
    return new URL(`/${name}`, this.url).href;
  }

  async dispose(): Promise<void> {
    if (existsSync(this.pidFile)) {
      this.thaw();
      await this.stop('immediate');
    }
    await rm(this.directory, { recursive: true, force: true });
  }

  private get pidFile(): string {
    return join(this.data, 'postmaster.pid');
  }

  private pids(): number[] {
    return serverProcesses(this.data);
  }
}

/** The postmaster of the server that runs in a directory, and its children; none if none runs. */
export function serverProcesses(data: string): number[] {
  const pidFile = join(data, 'postmaster.pid');
  if (!existsSync(pidFile)) return [];
  const postmaster = Number(readFileSync(pidFile, 'utf8').split('\n', 1)[0]);
  // A server that was killed leaves its file, and another process may have its number by now.
  try {
    if (readlinkSync(`/proc/${postmaster}/cwd`) !== data) return [];
    const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').trim().split(' ');
    return [postmaster, ...children.filter((pid) => pid !== '').map(Number)];
  } catch (error) {
    // It has ended, perhaps just now.
    if (['ENOENT', 'ESRCH'].includes(String((error as NodeJS.ErrnoException).code))) return [];
    throw error;
  }
}

/** PostgreSQL refuses to run as root. Whoever measures meanwhile must not stand still, so this one waits for the end. */
async function run(program: string, ...args: string[]): Promise<void> {
  const command = [join(VERSION_DIRECTORY, 'bin', program), ...args];
  const [file, ...rest] = process.getuid?.() === 0 ? ['runuser', '-u', USER, '--', ...command] : command;
  const child = spawn(String(file), rest, { cwd: tmpdir(), stdio: 'ignore' });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
}
