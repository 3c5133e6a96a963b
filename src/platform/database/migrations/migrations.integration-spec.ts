import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource, type QueryRunner } from 'typeorm';
import { migrate } from './migrations';
import type { ApiClient } from '../../../../test/support/api/api-client';
import { register } from '../../../../test/support/api/consumers';
import { TestApp } from '../../../../test/support/in-process/test-app';

const ME = '/api/v1/me';
const POSTGRESQL = process.env.TEST_DATABASE_URL;
/** What the database and the driver grant a request. */
const REQUEST_DEADLINE_MS = 5_000;
const SLOW = 'SELECT pg_sleep(7)';

describe('a migration', () => {
  let app: TestApp;
  let client: ApiClient;
  let token: string;
  const opened: DataSource[] = [];

  beforeAll(async () => {
    app = await TestApp.start();
    const anonymous = await app.client();
    ({ token } = await register(anonymous));
    client = anonymous.as(token);
  });
  afterAll(async () => {
    await Promise.all(opened.map((dataSource) => dataSource.destroy()));
    await app.close();
  });

  /** As a later version of the service: with one migration more. */
  async function laterVersion(name: string, statement: string): Promise<DataSource> {
    const migration = class {
      name = name;
      up = (queryRunner: QueryRunner) => queryRunner.query(statement);
      down = () => Promise.resolve();
    };
    const { migrations, ...options } = app.dataSource.options;
    const known = Object.values(migrations ?? []) as (typeof migration)[];
    const dataSource = new DataSource({ ...options, migrations: [...known, migration] });
    opened.push(await dataSource.initialize());
    return dataSource;
  }

  if (POSTGRESQL === undefined) {
    it('is applied on the embedded database beside a running service', async () => {
      const name = 'one-more-1763683209999';
      expect(await migrate(await laterVersion(name, 'CREATE TABLE one_more ()'))).toEqual([name]);
      expect((await client.get(ME)).status).toBe(200);
    });
    return;
  }

  it('may take longer than a request, and other replicas wait for it instead of failing', async () => {
    const name = 'slow-1763683209998';
    const replicas = await Promise.all([laterVersion(name, SLOW), laterVersion(name, SLOW)]);
    const migrating = Promise.all(replicas.map((replica) => migrate(replica)));
    await sleep(1_000);
    expect((await client.get(ME)).status).toBe(200);
    expect((await migrating).sort()).toEqual([[], [name]]);
  }, 60_000);

  it('that meets a long transaction lets requests through, and is applied when that has ended', async () => {
    const name = 'locked-out-1763683209999';
    const print = jest.spyOn(console, 'log');
    const dump = app.dataSource.createQueryRunner();
    await dump.startTransaction();
    await dump.query('SELECT count(*) FROM consumer');
    const migrating = migrate(await laterVersion(name, 'ALTER TABLE consumer ADD COLUMN one_more integer'));
    const answers = [];
    for (let asked = 0; asked < 8; asked += 1) {
      const startedAt = performance.now();
      const { status } = await client.get(ME);
      answers.push({ status, isInTime: performance.now() - startedAt < REQUEST_DEADLINE_MS / 2 });
      await sleep(500);
    }
    await dump.commitTransaction();
    await dump.release();
    expect(await migrating).toEqual([name]);
    // Standard output belongs to the command's result.
    expect(print).not.toHaveBeenCalled();
    expect(answers).toEqual(Array(8).fill({ status: 200, isInTime: true }));
  }, 60_000);
});
