import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RedisGroup } from '../support/faults/redis-group';
import type { RedisProcess } from '../support/faults/redis-process';
import { CreatedTouchpoint, ServiceProcess } from '../support/service/service-process';
import { until } from '../support/until';

const COUNTRIES = '/api/v1/reference/countries';

describe('a service whose Redis has Sentinels', () => {
  let group: RedisGroup;
  let dataDir: string;
  let service: ServiceProcess;
  let touchpoint: CreatedTouchpoint;

  beforeEach(async () => {
    group = await RedisGroup.start();
    dataDir = await mkdtemp(join(tmpdir(), 'sentinel-faults-'));
    const env = { DATA_DIR: dataDir, BCRYPT_COST: '4', REDIS_URL: group.url };
    touchpoint = CreatedTouchpoint.create(env, 'kiosk', '--rate-limit', '100000/3600');
    service = await ServiceProcess.start(env);
    await until(() => countsIn(group.primary));
  }, 180_000);
  afterEach(async () => {
    await service.kill('SIGTERM');
    await group.end();
    await rm(dataDir, { recursive: true });
  });

  const client = () => touchpoint.clientOf(service);
  const is = (health: string) => async () => (await service.health()) === health;
  const countsIn = async (redis: RedisProcess) => {
    expect((await client().get(COUNTRIES)).status).toBe(200);
    return (await redis.limits()) > 0;
  };
  const goesOnIn = async (successor: RedisProcess) => {
    await until(is('degraded'));
    await until(is('ok'));
    // What the primary has handed on does not count.
    await successor.flush();
    await until(() => countsIn(successor));
  };

  it('counts in the primary that they name, and in its successor', async () => {
    await goesOnIn(await group.failOver());
  }, 180_000);

  it('leaves a primary and a Sentinel that stand still, although their connections are open', async () => {
    await goesOnIn(group.freeze());
  }, 180_000);
});
