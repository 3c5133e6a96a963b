import { TestApp } from '../../../test/support/in-process/test-app';
import { until } from '../../../test/support/until';
import { AppConfig } from '../config';
import { createLogger } from '../logger';
import { ScheduledJobRepository } from './scheduled-job.repository';
import { ScheduledJobs } from './scheduled-jobs';

const DAY_SECONDS = 86_400;

describe('a scheduled job', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.start();
  });
  afterAll(() => app.close());

  const newReplica = () =>
    new ScheduledJobs(
      new ScheduledJobRepository(app.dataSource),
      app.nest.get(AppConfig),
      ...([createLogger('silent'), 'service', null] as const),
    );
  const outcomeOf = async (name: string) => {
    const [row] = await app.dataSource.query<{ outcome: string | null }[]>(
      'SELECT outcome FROM scheduled_job WHERE name = $1',
      [name],
    );
    return row?.outcome;
  };
  const makeDue = (name: string) =>
    app.dataSource.query(`UPDATE scheduled_job SET begun_at = begun_at - interval '1 day' WHERE name = $1`, [name]);

  /** Starts replicas together, and ends them when the job has the outcome and each of them has looked. */
  async function startReplicas(count: number, name: string, run: () => Promise<void>, outcome: string): Promise<void> {
    const replicas = Array.from({ length: count }, newReplica);
    for (const replica of replicas) replica.schedule(name, DAY_SECONDS, run);
    for (const replica of replicas) replica.onApplicationBootstrap();
    await until(async () => (await outcomeOf(name)) === outcome);
    await Promise.all(replicas.map((replica) => replica.beforeApplicationShutdown()));
  }

  it('runs once in its period, whichever replica has it', async () => {
    let runs = 0;
    const run = () => {
      runs += 1;
      return Promise.resolve();
    };
    await startReplicas(3, 'test-cleanup', run, 'done');
    expect(runs).toBe(1);
    await startReplicas(3, 'test-cleanup', run, 'done');
    expect(runs).toBe(1);
    await makeDue('test-cleanup');
    await startReplicas(3, 'test-cleanup', run, 'done');
    expect(runs).toBe(2);
  });

  it('that fails is not repeated before its next time', async () => {
    let runs = 0;
    const run = () => {
      runs += 1;
      return Promise.reject(new Error('failed'));
    };
    await startReplicas(2, 'test-failure', run, 'failed');
    await startReplicas(1, 'test-failure', run, 'failed');
    expect(runs).toBe(1);
  });
});
