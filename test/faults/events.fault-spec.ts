import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from '../support/api/api-client';
import { committedActs, EventPoller } from '../support/faults/event-poller';
import { EventWriters, SlowTransactions } from '../support/faults/event-writers';
import { embeddedUrl } from '../support/faults/invariants';
import { PostgresCluster } from '../support/faults/postgres-cluster';
import { reportFault } from '../support/faults/report';
import { CreatedTouchpoint, ServiceProcess } from '../support/service/service-process';

const TYPES = 'consumer.registered,consumer.updated,session.started,session.ended';
const BETWEEN_FAULTS_MS = 2_000;
/** How often a process is killed: `KILL_ROUNDS_POSTGRES`, `KILL_ROUNDS_EMBEDDED`. */
const rounds = (database: string): number => Number(process.env[`KILL_ROUNDS_${database}`] ?? 5);

interface Load {
  writers: number;
  slowTransactions: number;
  databaseUrl: string;
}

describe('the log of events', () => {
  let dataDir: string;
  let env: Record<string, string>;
  let touchpoint: CreatedTouchpoint;
  let subscriber: Record<string, string>;
  let services: ServiceProcess[];

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'events-'));
  });
  afterEach(async () => {
    await Promise.all(services.map((service) => service.kill('SIGKILL')));
    await rm(dataDir, { recursive: true, force: true });
  });

  const begin = async (replicas: number, place: Record<string, string>) => {
    env = {
      ...{ DATA_DIR: dataDir, BCRYPT_COST: '4', HASH_WORKERS: '1', HASH_QUEUE_LIMIT: '1000' },
      ...{ RATE_LIMIT_BURST: '0', RATE_LIMIT_SUSTAINED: '0', ...place },
    };
    touchpoint = CreatedTouchpoint.create(env, 'shop');
    const create = ['dist/cli.js', 'subscriber', 'create', '--code', 'crm', '--types', TYPES, '--json'];
    const output = execFileSync(process.execPath, create, {
      env: { PATH: process.env.PATH, ...env },
      encoding: 'utf8',
    });
    const { key } = JSON.parse(output) as { key: string };
    subscriber = { 'X-Subscriber-Code': 'crm', 'X-Subscriber-Key': key };
    services = [];
    for (let count = 0; count < replicas; count += 1) services.push(await ServiceProcess.start(env));
  };
  const some = (): ServiceProcess => {
    const service = services[randomInt(services.length)];
    if (!service) throw new Error('No service runs');
    return service;
  };
  const killOne = async () => {
    const index = randomInt(services.length);
    await services[index]?.kill('SIGKILL');
    services[index] = await ServiceProcess.start(env);
  };

  /** Breaks things under load: whoever trusts the cursor must have seen every act once, and nothing else. */
  const holds = async (what: string, load: Load, faults: (() => unknown)[]) => {
    const { writers: count, slowTransactions, databaseUrl } = load;
    await SlowTransactions.prepare(databaseUrl);
    const poller = new EventPoller(() => new ApiClient(some().baseUrl, subscriber));
    const writers = new EventWriters(count, () => touchpoint.clientOf(some()));
    const slow = new SlowTransactions(slowTransactions, databaseUrl);
    let recoveryMs = 0;
    for (const fault of faults) {
      await sleep(BETWEEN_FAULTS_MS);
      await fault();
      const startedAt = performance.now();
      for (const service of services) await service.waitUntilReady();
      recoveryMs = Math.max(recoveryMs, performance.now() - startedAt);
    }
    await sleep(BETWEEN_FAULTS_MS);
    await Promise.all([writers.stop(), slow.stop()]);
    await poller.stop();
    const seen = poller.seen.toSorted();
    const acknowledged = [...writers.acknowledged, ...slow.acknowledged];
    const known = new Set(seen);
    const lost = acknowledged.filter((act) => !known.has(act));
    const { sent, refused, unanswered } = writers;
    reportFault(`${what}: ${seen.length} events`, {
      ...{ sent, acknowledged: acknowledged.length, refused: refused + unanswered, lost: lost.length, recoveryMs },
    });
    expect([poller.faults, lost, writers.unexpected]).toEqual([[], [], []]);
    expect(seen).toEqual((await committedActs(databaseUrl)).toSorted());
    expect(acknowledged.length).toBeGreaterThan(count);
  };

  it('is whole and in order on PostgreSQL while replicas and the database are killed under 200 writers', async () => {
    const cluster = await PostgresCluster.start({ max_connections: 120 });
    try {
      await begin(3, { DATABASE_URL: cluster.url });
      const crash = async () => {
        await cluster.stop('immediate');
        await cluster.open();
      };
      const faults = Array.from({ length: rounds('POSTGRES') }, (_, round) => (round % 3 === 2 ? crash : killOne));
      const load = { writers: 160, slowTransactions: 40, databaseUrl: cluster.url };
      await holds(`${faults.length} times kill -9 under 200 writers, PostgreSQL`, load, faults);
    } finally {
      await Promise.all(services.map((service) => service.kill('SIGKILL')));
      await cluster.dispose();
    }
  }, 1_800_000);

  it('is whole and in order on the embedded database while the service is killed under 20 writers', async () => {
    await begin(1, {});
    const faults = Array.from({ length: rounds('EMBEDDED') }, () => killOne);
    const load = { writers: 20, slowTransactions: 0, databaseUrl: embeddedUrl(dataDir) };
    await holds(`${faults.length} times kill -9 under 20 writers, embedded`, load, faults);
  }, 1_800_000);
});
