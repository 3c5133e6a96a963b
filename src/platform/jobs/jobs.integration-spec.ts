import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { TestApp } from '../../../test/support/in-process/test-app';
import { createTestDatabase } from '../../../test/support/service/test-database';
import { PATIENCE_MS, until } from '../../../test/support/until';
import { createLogger } from '../logger';
import type { Job } from './fair-fetch';
import { Jobs } from './jobs.service';

const SERVER_URL = process.env.TEST_DATABASE_URL ?? '';
const onPostgres: (name: string, test: () => Promise<void>) => void = SERVER_URL === '' ? () => undefined : it;

const newJobs = (dataSource: DataSource): Jobs =>
  new Jobs({ dataSource, logger: createLogger('silent'), role: 'service', stopPatienceMs: 5_000 });

describe('a job', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.start();
  });
  afterAll(() => app.close());

  it('is taken as soon as its transaction is committed, not when the queue is next looked at', async () => {
    const jobs = newJobs(app.dataSource);
    const taken: object[] = [];
    const take = async (job: Job) => {
      taken.push(job.data);
      await jobs.settle.remove(job);
    };
    jobs.work('seldom-looked-at', 1, take, 10 * PATIENCE_MS);
    await jobs.onApplicationBootstrap();
    try {
      await sleep(500);
      await app.dataSource.transaction((manager) => jobs.add(manager, 'seldom-looked-at', { number: 1 }, {}));
      await until(() => taken.length > 0);
    } finally {
      await jobs.beforeApplicationShutdown();
    }
    expect(taken).toEqual([{ number: 1 }]);
  });

  it('runs once in its period, whichever replica has it', async () => {
    const { dataSource } = app;
    const replicas = [1, 2, 3].map(() => newJobs(dataSource));
    let runs = 0;
    for (const replica of replicas) {
      replica.schedule('test-cleanup', 86_400, () => {
        runs += 1;
        return Promise.resolve();
      });
    }
    await Promise.all(replicas.map((replica) => replica.onApplicationBootstrap()));
    const states = async () =>
      dataSource.query<{ state: string }[]>("SELECT state FROM pgboss.job WHERE name = 'test-cleanup'");
    await until(async () => (await states()).some(({ state }) => state === 'completed'));
    await Promise.all(replicas.map((replica) => replica.beforeApplicationShutdown()));
    expect([runs, (await states()).length]).toEqual([1, 1]);
  });
});

describe('the queues', () => {
  onPostgres('are made once by services that start together', async () => {
    const database = await createTestDatabase(SERVER_URL);
    const pools = [1, 2, 3, 4].map(() => new DataSource({ type: 'postgres', url: database.url, poolSize: 1 }));
    const services = await Promise.all(pools.map(async (pool) => newJobs(await pool.initialize())));
    for (const service of services) for (const queue of ['a', 'b']) service.work(queue, 1, () => Promise.resolve());
    await Promise.all(services.map((service) => service.onApplicationBootstrap()));
    for (const pool of pools) expect(await pool.query('SELECT name FROM pgboss.queue')).toHaveLength(2);
    await Promise.all(services.map((service) => service.beforeApplicationShutdown()));
    await Promise.all(pools.map((pool) => pool.destroy()));
    await database.drop();
  });
});
