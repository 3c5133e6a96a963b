import type { DataSource } from 'typeorm';
import { newPerson } from '../../../../test/support/api/consumers';
import { TestApp, type TestAppOptions } from '../../../../test/support/in-process/test-app';
import { createTestDatabase } from '../../../../test/support/service/database/test-database';

const POSTGRESQL = process.env.TEST_DATABASE_URL;

describe('the schema', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.start({ unprepared: true });
  });
  afterAll(() => app.close());

  it('is the same in the migrations and in the entities', async () => {
    const { upQueries } = await app.dataSource.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });

  it('goes down to nothing and up again', async () => {
    const { dataSource } = app;
    const before = await relations(dataSource);
    for (const _ of dataSource.migrations) await dataSource.undoLastMigration({ transaction: 'each' });
    expect(await relations(dataSource)).toEqual([]);
    await dataSource.runMigrations({ transaction: 'each' });
    expect(await relations(dataSource)).toEqual(before);
  });

  it('is made once by services that start together', async () => {
    const database = POSTGRESQL === undefined ? null : await createTestDatabase(POSTGRESQL);
    const settings: TestAppOptions[] = database
      ? [1, 2, 3].map(() => ({ env: { DATABASE_URL: database.url } }))
      : [{ unprepared: true }];
    const started = await Promise.allSettled(settings.map((options) => TestApp.start(options)));
    const replicas = started.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    try {
      expect(started.map(({ status }) => status)).toEqual(Array(started.length).fill('fulfilled'));
      for (const replica of replicas) {
        const registered = await (await replica.client()).post('/api/v1/register', newPerson());
        expect(registered.status).toBe(201);
      }
    } finally {
      await Promise.all(replicas.map((replica) => replica.close()));
      await database?.drop();
    }
  });
});

/** Everything in the schema but what remembers the migrations. */
async function relations(dataSource: DataSource): Promise<string[]> {
  const rows = await dataSource.query<{ name: string }[]>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relname NOT LIKE 'migration%' ORDER BY relname`,
  );
  return rows.map(({ name }) => name);
}
