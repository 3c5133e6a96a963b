import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { freePort } from '../service/free-port';
import { until } from '../until';
import { exampleEnvironment } from './deployed';
import { makeDirectory, SUPERUSER } from './node-files';
import { type Member, PatroniNode } from './patroni-node';

const HAPROXY_CONFIGURATION = join(__dirname, '../../../deploy/ha/haproxy.cfg');
/** A disk of its own, as etcd should have: it must not wait for a PostgreSQL that writes. */
const ETCD_DISK = '/dev/shm';
/** A lock that must end, a rewind, and what a busy machine adds. */
const PATIENCE_MS = 180_000;
const OWNER = { user: 'service', password: 'of-the-service', database: 'consumers' };

/** Two servers as in deploy/ha, on one machine: PostgreSQL under Patroni, one etcd, and HAProxy before the primary. */
export class PatroniCluster {
  private constructor(
    private readonly directories: string[],
    private readonly nodes: PatroniNode[],
    private readonly others: ChildProcess[],
    private readonly address: string,
    private readonly archive: string,
  ) {}

  static async start(): Promise<PatroniCluster> {
    const directory = mkdtempSync(join(tmpdir(), 'failover-'));
    chmodSync(directory, 0o755);
    const [etcdPort, peerPort, port] = [await freePort(), await freePort(), await freePort()];
    const etcdDirectory = mkdtempSync(join(ETCD_DISK, 'etcd-'));
    const etcd = startEtcd(etcdDirectory, etcdPort, peerPort);
    const archive = join(directory, 'archive');
    makeDirectory(archive);
    const nodes = [];
    for (const name of ['db-1', 'db-2']) {
      nodes.push(await PatroniNode.start(name, join(directory, name), archive, etcdPort));
    }
    const haproxy = startHaproxy(port, nodes);
    const directories = [directory, etcdDirectory];
    const cluster = new PatroniCluster(directories, nodes, [etcd, haproxy], `127.0.0.1:${port}`, archive);
    await cluster.waitUntilWhole();
    await cluster.createDatabase();
    return cluster;
  }

  /** Leads to the primary, whichever it is. */
  get url(): string {
    return `postgres://${OWNER.user}:${OWNER.password}@${this.address}/${OWNER.database}`;
  }

  async query<T extends object>(statement: string): Promise<T[]> {
    const client = new Client({ connectionString: this.url });
    await client.connect();
    try {
      return (await client.query<T>(statement)).rows;
    } finally {
      await client.end();
    }
  }

  /** The primary and the standby. */
  async roles(): Promise<{ primary: PatroniNode; standby: PatroniNode }> {
    const members = await this.members();
    const primary = this.nodes.find(({ name }) => roleOf(members, name) === 'leader');
    const standby = this.nodes.find((node) => node !== primary);
    if (!primary || !standby) throw new Error(`The cluster has no primary: ${JSON.stringify(members)}`);
    return { primary, standby };
  }

  /** Waits until this server is the primary. */
  async waitUntilLedBy({ name }: PatroniNode): Promise<void> {
    await this.waitFor((members) => roleOf(members, name) === 'leader');
  }

  /** Waits until there is a primary and a standby that has every commit. */
  async waitUntilWhole(): Promise<void> {
    const roles = (members: Member[]) => members.filter(({ state }) => isUp(state)).map(({ role }) => role);
    await this.waitFor((members) => roles(members).includes('leader') && roles(members).includes('sync_standby'));
  }

  async dispose(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.end()));
    for (const child of this.others) {
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    }
    for (const directory of this.directories) rmSync(directory, { recursive: true, force: true });
  }

  private async waitFor(isSo: (members: Member[]) => boolean): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    let members: Member[] = [];
    while (performance.now() < deadline) {
      members = await this.members();
      if (isSo(members)) return;
      await sleep(200);
    }
    throw new Error(`The cluster stays ${JSON.stringify(members)}`);
  }

  /** As one server sees them that answers; a server that is gone may still be among them. */
  private async members(): Promise<Member[]> {
    const views = await Promise.all(this.nodes.map((node) => node.members()));
    return views.find((view) => view?.some(({ role }) => role === 'leader')) ?? [];
  }

  /** What has been written so far, by whichever server was primary, and which file of it is not in the archive. */
  async missingInArchive(): Promise<string[]> {
    const client = await this.administrator();
    const { rows } = await client.query<{ file: string }>('SELECT pg_walfile_name(pg_switch_wal()) AS file');
    await client.end();
    const last = rows[0]?.file ?? '';
    await until(() => readdirSync(this.archive).includes(last));
    const archived = new Set(
      readdirSync(this.archive)
        .filter((name) => SEGMENT.test(name))
        .map(numberOf),
    );
    const numbers = Array.from({ length: numberOf(last) }, (_, index) => index + 1);
    return numbers.filter((number) => !archived.has(number)).map(String);
  }

  private async createDatabase(): Promise<void> {
    const client = await this.administrator();
    await client.query(`CREATE ROLE ${OWNER.user} LOGIN PASSWORD '${OWNER.password}'`);
    await client.query(`CREATE DATABASE ${OWNER.database} OWNER ${OWNER.user}`);
    await client.end();
  }

  private async administrator(): Promise<Client> {
    const client = new Client({
      connectionString: `postgres://${SUPERUSER.user}:${SUPERUSER.password}@${this.address}/postgres`,
    });
    await client.connect();
    return client;
  }
}

/** A file of the log by its name: the timeline, and two halves of a number, of which the second has 256 values. */
const SEGMENT = /^[0-9A-F]{24}$/;
const numberOf = (file: string): number => parseInt(file.slice(8, 16), 16) * 256 + parseInt(file.slice(16), 16);

const isUp = (state: string): boolean => state === 'running' || state === 'streaming';

const roleOf = (members: Member[], name: string) =>
  members.find((member) => member.name === name && isUp(member.state))?.role;

function startEtcd(directory: string, port: number, peerPort: number): ChildProcess {
  const url = `http://127.0.0.1:${port}`;
  const peerUrl = `http://127.0.0.1:${peerPort}`;
  const env = exampleEnvironment('etcd.env.example', {
    ETCD_DATA_DIR: directory,
    ETCD_LISTEN_CLIENT_URLS: url,
    ETCD_ADVERTISE_CLIENT_URLS: url,
    ETCD_LISTEN_PEER_URLS: peerUrl,
    ETCD_INITIAL_ADVERTISE_PEER_URLS: peerUrl,
    ETCD_INITIAL_CLUSTER: `etcd-1=${peerUrl}`,
  });
  return spawn('etcd', [], { env: { PATH: process.env.PATH, ...env }, stdio: 'ignore' });
}

function startHaproxy(port: number, nodes: PatroniNode[]): ChildProcess {
  const servers = nodes.flatMap((node, index): [string, string][] => [
    [`DB_${index + 1}_HOST`, '127.0.0.1'],
    [`DB_${index + 1}_PORT`, String(node.port)],
    [`DB_${index + 1}_PATRONI_PORT`, String(node.apiPort)],
  ]);
  return spawn('haproxy', ['-db', '-f', HAPROXY_CONFIGURATION], {
    env: {
      PATH: process.env.PATH,
      ...exampleEnvironment('haproxy.env.example', {
        PRIMARY_BIND: `127.0.0.1:${port}`,
        ...Object.fromEntries(servers),
      }),
    },
    stdio: 'ignore',
  });
}
