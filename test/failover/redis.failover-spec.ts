import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../support/api/api-client';
import { FailoverLoad } from '../support/failover/failover-load';
import { PostgresCluster } from '../support/faults/postgres-cluster';
import { RedisGroup } from '../support/faults/redis-group';
import { Table } from '../support/faults/report';
import { Nginx } from '../support/proxy/nginx';
import { CreatedTouchpoint, ServiceProcess } from '../support/service/service-process';
import { until } from '../support/until';

const REPLICAS = 3;
const COUNTRIES = '/api/v1/reference/countries';
/** In an hour, of which most is used before the failure. */
const LIMIT = 3_000;
const USED_BEFORE = 2_700;
const AT_ONCE = 8;
/** Between two requests while Redis is away: 20 a second. */
const PAUSE_MS = 50;
/** Of the limit. */
const TOLERANCE = 0.05;
/** `FAILOVER=short`: for a machine that others use too, where a few requests may find no core in time. */
const isShort = process.env.FAILOVER === 'short';
/** Registrations a second meanwhile. */
const PER_SECOND = isShort ? 20 : 50;
/** In requests: enough to see that it goes on. */
const SOME = 200;
/** Requests do not wait for Redis; what is left is what a slow machine takes for one. */
const LONGEST_PAUSE_MS = isShort ? 9_000 : 3_000;
/** How often the replicas are looked at after a Sentinel is lost, and how long between. */
const LOOKS = 30;
const LOOK_MS = 100;
/** A busy machine answers a heartbeat late, and the next one a second later in time: so long nothing is lost. */
const MAX_DEGRADED_SECONDS = 2;
/** So many refusals in a row show that the limit is reached, whichever replica is asked. */
const REFUSALS = 60;

const table = new Table([
  ['failure', 30],
  ['registrations sent', 19],
  ['acknowledged', 13],
  ['refused', 8],
  ['lost', 5],
  ['seconds without service', 24],
  ['seconds degraded', 17],
  ['limit', 6],
  ['served', 7],
  ['off by', 7],
]);

describe('a service whose limits stand on Redis with Sentinels', () => {
  let cluster: PostgresCluster;
  let redis: RedisGroup;
  let dataDir: string;
  let replicas: ServiceProcess[];
  let nginx: Nginx;
  let clients: ApiClient[];
  let shop: ApiClient;

  beforeAll(async () => {
    [cluster, redis] = await Promise.all([PostgresCluster.start(), RedisGroup.start()]);
    dataDir = await mkdtemp(join(tmpdir(), 'failover-service-'));
    const env = {
      ...{ DATA_DIR: dataDir, DATABASE_URL: cluster.url, REDIS_URL: redis.url },
      ...{ BCRYPT_COST: '4', HASH_QUEUE_LIMIT: '1000' },
    };
    const unlimited = CreatedTouchpoint.create(env, 'shop');
    const touchpoint = CreatedTouchpoint.create(env, 'kiosk', '--rate-limit', `${LIMIT}/3600`);
    replicas = await Promise.all(Array.from({ length: REPLICAS }, () => ServiceProcess.start(env)));
    clients = replicas.map((replica) => touchpoint.clientOf(replica));
    nginx = await Nginx.startBefore(replicas.map(({ baseUrl }) => baseUrl));
    shop = unlimited.clientOf(nginx);
    await until(areAll('ok'));
  }, 300_000);
  afterAll(async () => {
    await nginx.stop();
    await Promise.all(replicas.map((replica) => replica.kill('SIGTERM')));
    await Promise.all([cluster.dispose(), redis.end()]);
    await rm(dataDir, { recursive: true });
  });

  const areAll = (status: string) => async () =>
    (await Promise.all(replicas.map((replica) => replica.health()))).every((health) => health === status);

  let sent = 0;
  let served = 0;
  /** Asks the replicas in turn: whether the touchpoint was within its limit. */
  const ask = async (): Promise<boolean> => {
    const client = clients[sent % REPLICAS];
    sent += 1;
    const status = (await client?.get(COUNTRIES))?.status;
    expect([200, 429]).toContain(status);
    served += status === 200 ? 1 : 0;
    return status === 200;
  };

  /** Fails under registrations: `offBy` is how far from its limit the touchpoint was served in the end. */
  const survives = async (failure: string, fail: () => Promise<{ degradedSeconds: number; offBy: number | null }>) => {
    const load = new FailoverLoad(shop, PER_SECOND);
    let seen: Awaited<ReturnType<typeof fail>>;
    try {
      await load.waitUntilServed(SOME);
      seen = await fail();
      await load.waitUntilServed(SOME);
    } finally {
      await load.stop();
    }
    const lost = await load.lost();
    const { acknowledged, longestPauseMs, unexpected } = load;
    const refused = load.refused + load.unanswered + load.inProgress;
    const { degradedSeconds, offBy } = seen;
    const share = offBy === null ? 'not used up' : `${(100 * offBy).toFixed(1)} %`;
    const seconds = [longestPauseMs / 1000, degradedSeconds].map((value) => value.toFixed(1));
    table.print(failure, load.sent, acknowledged, refused, lost.length, ...seconds, LIMIT, served, share);
    expect([unexpected, lost]).toEqual([[], []]);
    expect(isShort ? 0 : refused).toBe(0);
    expect(longestPauseMs).toBeLessThan(LONGEST_PAUSE_MS);
    expect(Math.abs(offBy ?? 0)).toBeLessThanOrEqual(TOLERANCE);
    expect(replicas.map(({ hasEnded }) => hasEnded)).toEqual(replicas.map(() => false));
  };

  it('does not notice that a Sentinel is lost', async () => {
    await survives('a Sentinel is lost', async () => {
      await redis.loseSentinel();
      let degraded = 0;
      for (let looks = 0; looks < LOOKS; looks += 1) {
        degraded += (await areAll('ok')()) ? 0 : 1;
        expect(await ask()).toBe(true);
        await sleep(LOOK_MS);
      }
      const degradedSeconds = (degraded * LOOK_MS) / 1000;
      expect(degradedSeconds).toBeLessThan(MAX_DEGRADED_SECONDS);
      return { degradedSeconds, offBy: null };
    });
  });

  it('keeps a limit when the primary of Redis is lost, but for the seconds in which its replicas count alone', async () => {
    while (served < USED_BEFORE) await Promise.all(Array.from({ length: AT_ONCE }, ask));
    await survives('the primary of Redis is lost', async () => {
      await redis.failOver();
      const lostAt = performance.now();
      const askSlowlyUntil = async (isSo: () => Promise<boolean>) => {
        while (!(await isSo())) await Promise.all([ask(), sleep(PAUSE_MS)]);
      };
      await askSlowlyUntil(areAll('degraded'));
      await askSlowlyUntil(areAll('ok'));
      const degradedSeconds = (performance.now() - lostAt) / 1000;
      for (let refusals = 0; refusals < REFUSALS;) refusals = (await ask()) ? 0 : refusals + 1;
      return { degradedSeconds, offBy: (served - LIMIT) / LIMIT };
    });
  });
});
