import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePort } from '../service/free-port';

const VERSIONS = '/usr/lib/postgresql';
const USER = 'postgres';

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
    run('initdb', '--pgdata', cluster.data, '--username', USER, '--auth', 'trust', '--no-sync', '--encoding', 'UTF8');
    const all = { unix_socket_directories: directory, listen_addresses: '127.0.0.1', ...settings };
    const options = Object.entries({ port: cluster.port, ...all }).map(([name, value]) => `-c ${name}=${value}`);
    cluster.options = options.join(' ');
    cluster.open();
    return cluster;
  }

  private options = '';

  private get data(): string {
    return join(this.directory, 'data');
  }

  get url(): string {
    return `postgres://${USER}@127.0.0.1:${this.port}/postgres`;
  }

  /** Starts the server again. */
  open(): void {
    const log = join(this.directory, 'log');
    run('pg_ctl', 'start', '--wait', '--silent', '--pgdata', this.data, '--log', log, '--options', this.options);
  }

  /** `immediate` is a crash. */
  stop(mode: 'fast' | 'immediate' = 'fast'): void {
    run('pg_ctl', 'stop', '--wait', '--silent', '--mode', mode, '--pgdata', this.data);
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
      this.stop('immediate');
    }
    await rm(this.directory, { recursive: true, force: true });
  }

  private get pidFile(): string {
    return join(this.data, 'postmaster.pid');
  }

  private pids(): number[] {
    const postmaster = Number(readFileSync(this.pidFile, 'utf8').split('\n', 1)[0]);
    const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').trim().split(' ');
    return [postmaster, ...children.filter((pid) => pid !== '').map(Number)];
  }
}

/** PostgreSQL refuses to run as root. */
function run(program: string, ...args: string[]): void {
  const [version] = readdirSync(VERSIONS).toSorted((a, b) => Number(b) - Number(a));
  const command = [join(VERSIONS, String(version), 'bin', program), ...args];
  const [file, ...rest] = process.getuid?.() === 0 ? ['runuser', '-u', USER, '--', ...command] : command;
  execFileSync(String(file), rest, { cwd: tmpdir(), stdio: 'ignore' });
}
