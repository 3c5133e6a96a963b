import { setTimeout as sleep } from 'node:timers/promises';
import { newPerson } from '../support/api/consumers';
import { ServiceOnCluster } from '../support/faults/service-on-cluster';
import { TcpProxy } from '../support/faults/tcp-proxy';
import { ServiceProcess } from '../support/service/service-process';
import { until } from '../support/until';

/** Far less than the minute after which a key becomes free by itself. */
const SOON_MS = 5_000;
const BEGINS = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'INSERT INTO idempotency%'`;
const HAS_BEGUN = 'SELECT 1 FROM idempotency_record WHERE outcome IS NULL';

describe('an answer of PostgreSQL that is lost', () => {
  let on: ServiceOnCluster;

  beforeAll(async () => {
    on = await ServiceOnCluster.start();
  }, 120_000);
  afterAll(() => on.dispose());

  it('leaves no Idempotency-Key taken, although its request had begun for the database alone', async () => {
    const { proxy, url } = await TcpProxy.toDatabase(on.cluster.url);
    const service = await ServiceProcess.start({ ...on.env, DATABASE_URL: url });
    const person = newPerson();
    const client = on.touchpoint.clientOf(service).with({ 'Idempotency-Key': person.email });
    const other = await on.cluster.connection();
    await other.query('BEGIN; LOCK TABLE idempotency_record IN SHARE MODE');
    const first = client.post('/api/v1/register', person);
    await until(async () => (await on.cluster.query<object>(BEGINS)).length > 0);
    proxy.fallSilent();
    await other.query('COMMIT');
    await other.end();
    await until(async () => (await on.cluster.query<object>(HAS_BEGUN)).length > 0);
    proxy.takeAway();
    expect((await first).status).toBe(503);

    proxy.giveBack();
    await service.waitUntilReady();
    const backAt = performance.now();
    let answer = await client.post('/api/v1/register', person);
    while (answer.body.code === 'REQUEST_IN_PROGRESS') {
      await sleep(100);
      answer = await client.post('/api/v1/register', person);
    }
    expect(answer.status).toBe(201);
    expect(performance.now() - backAt).toBeLessThan(SOON_MS);
    await service.kill('SIGTERM');
    proxy.stop();
  }, 120_000);
});
