import { TestApp } from '../../../test/support/in-process/test-app';
import { Clock } from '../clock';
import { AppConfig } from '../settings/config';
import { Lifecycle } from '../lifecycle';
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
      new Lifecycle(app.nest.get(AppConfig), app.nest.get(Clock)),
      ...([createLogger('silent'), 'service', null] as const),
    );
  const shiftBegin = (name: string, by: string) =>
    app.dataSource.query(`UPDATE scheduled_job SET begun_at = begun_at + $2::interval WHERE name = $1`, [name, by]);

  /** Starts replicas together, and ends them when each of them has looked and the job has ended. */
  async function startReplicas(count: number, name: string, run: () => Promise<void>): Promise<void> {
    const replicas = Array.from({ length: count }, newReplica);
    for (const replica of replicas) replica.schedule(name, DAY_SECONDS, run);
    for (const replica of replicas) replica.onApplicationBootstrap();
    await Promise.all(replicas.map((replica) => replica.beforeApplicationShutdown()));
  }

  it('runs once in its period, whichever replica has it', async () => {
    let runs = 0;
    const run = () => {
      runs += 1;
      return Promise.resolve();
    };
    await startReplicas(3, 'test-cleanup', run);
    expect(runs).toBe(1);
    await startReplicas(3, 'test-cleanup', run);
    expect(runs).toBe(1);
    await shiftBegin('test-cleanup', '-1 day');
    await startReplicas(3, 'test-cleanup', run);
    expect(runs).toBe(2);
  });

  it('runs again although the clock of the database was set back', async () => {
    let runs = 0;
    const run = () => {
      runs += 1;
      return Promise.resolve();
    };
    await startReplicas(1, 'test-clock', run);
    await shiftBegin('test-clock', '1 hour');
    await startReplicas(2, 'test-clock', run);
    expect(runs).toBe(2);
  });

  it('that fails is not repeated before its next time', async () => {
    let runs = 0;
    const run = () => {
      runs += 1;
      return Promise.reject(new Error('failed'));
    };
    await startReplicas(2, 'test-failure', run);
    await startReplicas(1, 'test-failure', run);
    expect(runs).toBe(1);
  });
});
