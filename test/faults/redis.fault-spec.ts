import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiClient } from '../support/api/api-client';
import { register } from '../support/api/consumers';
import { FaultLoad } from '../support/faults/load';
import { reportFault, seenBy } from '../support/faults/report';
import { brokenRows, embeddedUrl, lostAcknowledgements } from '../support/faults/invariants';
import { RedisProcess } from '../support/faults/redis-process';
import { CreatedTouchpoint, ServiceProcess } from '../support/service/service-process';
import { until } from '../support/until';

const CLIENTS = 4;
const GUESSES = 10;
const LIMIT = 40;

describe('the service', () => {
  let redis: RedisProcess;
  let dataDir: string;
  let service: ServiceProcess;
  let unlimited: CreatedTouchpoint;
  let limited: CreatedTouchpoint;

  beforeAll(async () => {
    redis = await RedisProcess.start();
    dataDir = await mkdtemp(join(tmpdir(), 'redis-faults-'));
    const env = {
      ...{ DATA_DIR: dataDir, REDIS_URL: redis.url, BCRYPT_COST: '4', HASH_QUEUE_LIMIT: '1000' },
      ...{ RATE_LIMIT_BURST: '0', RATE_LIMIT_SUSTAINED: '1000000' },
    };
    unlimited = CreatedTouchpoint.create(env, 'shop');
    limited = CreatedTouchpoint.create(env, 'kiosk', '--rate-limit', `${LIMIT}/3600`);
    service = await ServiceProcess.start(env);
  }, 120_000);
  afterAll(async () => {
    await service.kill('SIGTERM');
    await redis.end();
    await rm(dataDir, { recursive: true, force: true });
  });

  const survives = async (what: string, fault: () => unknown) => {
    const load = new FaultLoad(CLIENTS, () => unlimited.clientOf(service));
    const client = unlimited.clientOf(service);
    const { email } = await register(client);
    let requests: number;
    try {
      await load.flows(CLIENTS * 3);
      const before = await guesses(client, email, GUESSES / 2);
      await fault();
      const after = await guesses(client, email, GUESSES / 2 + 1);
      expect([...before, ...after]).toEqual([...Array<number>(GUESSES).fill(401), 429]);
      requests = await requestsUntilLimited(limited.clientOf(service));
      await load.flows(CLIENTS * 3);
    } finally {
      await load.stop();
    }
    const lost = await lostAcknowledgements(client, load.accounts);
    const broken = await brokenRows(embeddedUrl(dataDir));
    reportFault(what, { ...seenBy(load), lost: lost.length, recoveryMs: 0 });
    expect([load.unexpected, lost, broken]).toEqual([[], [], []]);
    expect([load.refused, load.unanswered]).toEqual([0, 0]);
    // A limit that is counted anew, in memory or in an empty Redis, grants what it grants and no more.
    expect(requests).toBeLessThanOrEqual(LIMIT + 1);
    return requests;
  };

  it('counts guesses and limits as before when Redis is flushed', async () => {
    await survives('Redis flushed', () => redis.flush());
  }, 60_000);

  it('goes on, and counts limits in memory, while Redis hangs', async () => {
    expect(
      await survives('Redis frozen', () => {
        redis.signal('SIGSTOP');
      }),
    ).toBeGreaterThan(1);
    redis.signal('SIGCONT');
  }, 60_000);

  it('says that it is degraded while Redis takes no writes, as a replica or without room', async () => {
    const primary = await RedisProcess.start();
    for (const [begin, end] of [
      [() => redis.follow(primary), () => redis.follow(null)],
      [() => redis.setFull(true), () => redis.setFull(false)],
    ] as const) {
      await until(async () => (await service.health()) === 'ok');
      await begin();
      await until(async () => (await service.health()) === 'degraded');
      expect((await unlimited.clientOf(service).get('/api/v1/reference/countries')).status).toBe(200);
      await end();
      await until(async () => (await service.health()) === 'ok');
    }
    await primary.end();
  }, 60_000);

  it('goes on, and counts limits in memory, while Redis is stopped', async () => {
    await survives('Redis stopped', () => redis.stop());
  }, 60_000);

  it('uses Redis again when it is back', async () => {
    redis.open();
    while ((await redis.limits()) === 0) await limited.clientOf(service).get('/api/v1/reference/countries');
    expect(await service.isReady()).toBe(true);
  }, 60_000);
});

async function guesses(client: ApiClient, identifier: string, count: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let guess = 0; guess < count; guess += 1) {
    statuses.push((await client.post('/api/v1/login', { identifier, password: 'not the password' })).status);
  }
  return statuses;
}

async function requestsUntilLimited(client: ApiClient): Promise<number> {
  for (let requests = 1; ; requests += 1) {
    const { status } = await client.get('/api/v1/reference/countries');
    if (status === 429) return requests;
    if (status !== 200) throw new Error(`The request answered ${status}`);
  }
}
