import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serverProcesses, VERSION_DIRECTORY } from '../faults/postgres-cluster';
import { freePort } from '../service/free-port';
import { Services } from '../service/services';
import { until } from '../until';
import { deployed, exampleEnvironment } from './deployed';
import { makeDirectory, NodeFiles, owner, REPLICATOR, SUPERUSER } from './node-files';
import { WayToStore } from './way-to-store';

const ADMINISTRATOR = { user: 'patroni', password: 'of-the-administrator' };

/** What `GET /cluster` of Patroni says of a server. */
export interface Member {
  name: string;
  role: 'leader' | 'sync_standby' | 'replica';
  state: string;
}

/** A database server of the test's own: PostgreSQL and its Patroni, with a way to etcd that can be cut. */
export class PatroniNode {
  private patroni: ChildProcess | undefined;
  /** What is left of its log when its directory is removed. */
  private printed: string | undefined;

  private constructor(
    readonly name: string,
    readonly port: number,
    readonly apiPort: number,
    private readonly directory: string,
    readonly files: NodeFiles,
    private readonly store: WayToStore,
  ) {}

  /** `directory` is made for it; `archive` is one that all servers have. */
  static async start(name: string, directory: string, archive: string, etcdPort: number): Promise<PatroniNode> {
    makeDirectory(directory);
    const store = await WayToStore.start(join(directory, 'store.cfg'), etcdPort);
    const port = await freePort();
    const files = new NodeFiles(directory, archive, port);
    const node = new PatroniNode(name, port, await freePort(), directory, files, store);
    writeFileSync(node.configuration, deployed('patroni.yml').replaceAll('/archive/', `${archive}/`));
    node.start();
    Services.ofFile.keepPrinted(name, () => node.printed ?? readFileSync(node.log, 'utf8'));
    return node;
  }

  /** As node.env.example has it. */
  start(): void {
    const log = openSync(this.log, 'a');
    this.patroni = spawn('patroni', [this.configuration], {
      cwd: this.directory,
      ...owner,
      env: this.environment,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
  }

  /** The servers of the cluster, as this one sees them; null while it does not answer. */
  async members(): Promise<Member[] | null> {
    try {
      const answer = await fetch(`http://127.0.0.1:${this.apiPort}/cluster`, { signal: AbortSignal.timeout(2_000) });
      return answer.ok ? ((await answer.json()) as { members: Member[] }).members : null;
    } catch {
      // Also when it falls silent in the middle of its answer.
      return null;
    }
  }

  /** Hands over to another one, as `patronictl switchover` does. */
  async switchOverTo(candidate: PatroniNode): Promise<void> {
    const body = JSON.stringify({ leader: this.name, candidate: candidate.name });
    const url = `http://127.0.0.1:${this.apiPort}/switchover`;
    const { status: withoutPassword } = await fetch(url, { method: 'POST', body });
    const headers = { Authorization: `Basic ${btoa(`${ADMINISTRATOR.user}:${ADMINISTRATOR.password}`)}` };
    const { ok, status } = await fetch(url, { method: 'POST', body, headers });
    if (withoutPassword !== 401 || !ok)
      throw new Error(`Patroni answers a switchover ${withoutPassword} and ${status}`);
  }

  /** As `systemctl stop patroni`, which stops PostgreSQL too. */
  async stop(): Promise<void> {
    const exit = this.patroni && once(this.patroni, 'exit');
    this.patroni?.kill('SIGTERM');
    await exit;
  }

  /** Lets Patroni forget the cluster, which must have been stopped. */
  forgetCluster(): void {
    execFileSync('patronictl', ['-c', this.configuration, 'remove', 'consumers'], {
      env: { ...this.environment, LC_ALL: 'C.UTF-8' },
      input: 'consumers\nYes I am aware\n',
      stdio: ['pipe', 'ignore', 'inherit'],
    });
  }

  /** As when its machine loses power. */
  async loseMachine(): Promise<void> {
    this.strike('SIGKILL');
    await until(() => this.processes().length === 0);
  }

  /** PostgreSQL alone dies; Patroni starts it again. */
  async killServer(): Promise<void> {
    const postmaster = this.postmaster;
    process.kill(postmaster, 'SIGKILL');
    await until(() => !serverProcesses(this.files.data).includes(postmaster));
  }

  freeze(): void {
    this.strike('SIGSTOP');
  }

  thaw(): void {
    this.signal('SIGCONT');
  }

  /** As when its cable to etcd is pulled: nothing is refused, and nothing answered. */
  cutFromStore(): void {
    this.store.cut();
  }

  joinStore(): void {
    this.store.join();
  }

  async end(): Promise<void> {
    const exit = this.patroni?.exitCode === null && this.patroni.signalCode === null && once(this.patroni, 'exit');
    this.thaw();
    this.signal('SIGKILL');
    await exit;
    await this.store.end();
    this.printed = readFileSync(this.log, 'utf8');
  }

  private get environment(): Record<string, string | undefined> {
    return {
      PATH: process.env.PATH,
      ...exampleEnvironment('node.env.example', {
        PATRONI_NAME: this.name,
        PATRONI_ETCD_HOSTS: `127.0.0.1:${this.store.port}`,
        PATRONI_RESTAPI_LISTEN: `127.0.0.1:${this.apiPort}`,
        PATRONI_RESTAPI_CONNECT_ADDRESS: `127.0.0.1:${this.apiPort}`,
        PATRONI_RESTAPI_USERNAME: ADMINISTRATOR.user,
        PATRONI_RESTAPI_PASSWORD: ADMINISTRATOR.password,
        PATRONI_POSTGRESQL_LISTEN: `127.0.0.1:${this.port}`,
        PATRONI_POSTGRESQL_CONNECT_ADDRESS: `127.0.0.1:${this.port}`,
        PATRONI_POSTGRESQL_DATA_DIR: this.files.data,
        PATRONI_POSTGRESQL_BIN_DIR: join(VERSION_DIRECTORY, 'bin'),
        PATRONI_SUPERUSER_PASSWORD: SUPERUSER.password,
        PATRONI_REPLICATION_PASSWORD: REPLICATOR.password,
        PATRONI_REWIND_PASSWORD: 'of-rewind',
      }),
      // Not around the proxy, to the addresses that etcd names itself.
      PATRONI_ETCD_USE_PROXIES: 'true',
      PATRONI_POSTGRESQL_PGPASS: join(this.directory, 'pgpass'),
    };
  }

  private get log(): string {
    return join(this.directory, 'log');
  }

  private get configuration(): string {
    return join(this.directory, 'patroni.yml');
  }

  private get postmaster(): number {
    const [postmaster] = serverProcesses(this.files.data);
    if (postmaster === undefined) throw new Error(`No PostgreSQL runs on ${this.name}`);
    return postmaster;
  }

  /** To Patroni and PostgreSQL: a failure that strikes nothing would test nothing. */
  private strike(signal: NodeJS.Signals): void {
    const targets = this.processes();
    if (![this.postmaster, this.patroni?.pid ?? NaN].every((pid) => targets.includes(pid))) {
      throw new Error(`${this.name} does not run`);
    }
    this.signal(signal);
  }

  private signal(signal: NodeJS.Signals): void {
    for (const pid of this.processes()) {
      try {
        process.kill(pid, signal);
      } catch (error) {
        // A process of PostgreSQL may end by itself in between.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
  }

  private processes(): number[] {
    const { patroni } = this;
    const isRunning = patroni?.exitCode === null && patroni.signalCode === null;
    return [...(isRunning && patroni.pid !== undefined ? [patroni.pid] : []), ...serverProcesses(this.files.data)];
  }
}
