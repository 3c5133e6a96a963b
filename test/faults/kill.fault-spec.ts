import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FaultLoad } from '../support/faults/load';
import { reportFault, seenBy } from '../support/faults/report';
import { brokenRows, embeddedUrl, lostAcknowledgements } from '../support/faults/invariants';
import { PostgresCluster } from '../support/faults/postgres-cluster';
import { CreatedTouchpoint, ServiceProcess } from '../support/service/service-process';

const CLIENTS = 8;
const LONGEST_LIFE_MS = 1_200;
const REGISTER = '/api/v1/register';

/** How often the service is killed: `KILL_ROUNDS_POSTGRES`, `KILL_ROUNDS_EMBEDDED`. */
const rounds = (database: string): number => Number(process.env[`KILL_ROUNDS_${database}`] ?? 5);

describe('kill -9 at random moments', () => {
  let dataDir: string;
  let cluster: PostgresCluster;
  beforeAll(async () => {
    cluster = await PostgresCluster.start();
  }, 60_000);
  afterAll(() => cluster.dispose());
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'kill-'));
  });
  afterEach(() => rm(dataDir, { recursive: true, force: true }));

  const loses = async (what: string, kills: number, place: Record<string, string>, databaseUrl: string) => {
    const env = {
      ...{ DATA_DIR: dataDir, BCRYPT_COST: '4', HASH_QUEUE_LIMIT: '1000' },
      ...{ RATE_LIMIT_BURST: '0', RATE_LIMIT_SUSTAINED: '0', ...place },
    };
    const touchpoint = CreatedTouchpoint.create(env, 'shop');
    let service = await ServiceProcess.start(env);
    let recoveryMs = 0;
    const load = new FaultLoad(CLIENTS, () => touchpoint.clientOf(service));
    for (let kill = 0; kill < kills; kill += 1) {
      await load.flows(CLIENTS);
      await sleep(randomInt(LONGEST_LIFE_MS));
      await service.kill('SIGKILL');
      const startedAt = performance.now();
      service = await ServiceProcess.start(env);
      recoveryMs = Math.max(recoveryMs, performance.now() - startedAt);
    }
    await load.flows(CLIENTS);
    await load.stop();

    const client = touchpoint.clientOf(service);
    const lost = await lostAcknowledgements(client, load.accounts);
    // A registration that was committed is replayed, one that was not begins or waits for its lease to end.
    const retries = new Set<string>();
    for (const { key, person } of load.open) {
      const retrying = client.with({ 'Idempotency-Key': key });
      const { status, body } = await retrying.post<{ code?: string }>(REGISTER, person);
      retries.add(body.code ?? String(status));
    }
    const broken = await brokenRows(databaseUrl);
    await service.kill('SIGTERM');
    reportFault(`${kills} times kill -9, ${what}`, { ...seenBy(load), lost: lost.length, recoveryMs });
    expect(load.unexpected).toEqual([]);
    expect([lost, broken]).toEqual([[], []]);
    expect(load.accounts.length).toBeGreaterThan(kills);
    expect(load.unanswered).toBeGreaterThan(0);
    expect(['201', 'REQUEST_IN_PROGRESS']).toEqual(expect.arrayContaining([...retries]));
  };

  it('loses nothing on PostgreSQL that was acknowledged, and leaves no half of anything', async () => {
    await loses('PostgreSQL', rounds('POSTGRES'), { DATABASE_URL: cluster.url }, cluster.url);
  }, 1_800_000);

  it('loses nothing on the embedded database that was acknowledged, and leaves no half of anything', async () => {
    await loses('embedded database', rounds('EMBEDDED'), {}, embeddedUrl(dataDir));
  }, 1_800_000);
});
