import { newPerson, register } from '../../test/support/api/consumers';
import { FixedClock } from '../../test/support/in-process/fixed-clock';
import { TestApp } from '../../test/support/in-process/test-app';
import { AuditRetention } from './audit-retention';

const DAY_IN_MINUTES = 24 * 60;

describe('the audit trail', () => {
  const clock = new FixedClock();
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.start({ clock, env: { AUDIT_RETENTION_DAYS: '30' } });
  });
  afterAll(() => app.close());

  const sql = <Row>(text: string, values: unknown[] = []) => app.dataSource.query<Row[]>(text, values);
  const tidy = () => app.nest.get(AuditRetention).tidy();
  const typesOf = async (consumerId: string) => {
    const rows = await sql<{ type: string }>('SELECT type FROM audit_event WHERE consumer_id = $1', [consumerId]);
    return rows.map(({ type }) => type);
  };
  const partitionOf = async (consumerId: string) => {
    const [row] = await sql<{ name: string }>(
      'SELECT tableoid::regclass::text AS name FROM audit_event WHERE consumer_id = $1',
      [consumerId],
    );
    return row?.name;
  };
  const monthName = () => `audit_event_${clock.now().toISOString().slice(0, 7).replace('-', '_')}`;

  it('has a partition for the present month and two to come', async () => {
    await tidy();
    const { customerId } = await register(await app.client());
    expect(await partitionOf(customerId)).toBe(monthName());
    const names = await sql<{ name: string }>(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'audit_event'::regclass ORDER BY name`,
    );
    const from = names.findIndex(({ name }) => name === monthName());
    expect(names.slice(from).filter(({ name }) => /_\d\d$/.test(name)).length).toBeGreaterThanOrEqual(3);
  });

  it('keeps an act whose month is missing, and moves it when the month is made', async () => {
    clock.advance({ minutes: 150 * DAY_IN_MINUTES });
    const { customerId } = await register(await app.client());
    expect(await partitionOf(customerId)).toBe('audit_event_rest');
    await tidy();
    expect(await partitionOf(customerId)).toBe(monthName());
    expect(await typesOf(customerId)).toEqual(['consumer.registered']);
  });

  it('refuses no act while the present month is made', async () => {
    const client = await app.client();
    for (let round = 0; round < 3; round += 1) {
      clock.advance({ minutes: 150 * DAY_IN_MINUTES });
      const made = new AbortController();
      const writers = Array.from({ length: 4 }, async () => {
        do await register(client);
        while (!made.signal.aborted);
      });
      await tidy();
      made.abort();
      await Promise.all(writers);
    }
  });

  it('forgets a month when its last day is older than the retention', async () => {
    await tidy();
    const { customerId: early } = await register(await app.client());
    clock.advance({ minutes: 29 * DAY_IN_MINUTES });
    await tidy();
    expect(await typesOf(early)).toEqual(['consumer.registered']);
    const month = await partitionOf(early);
    clock.advance({ minutes: 33 * DAY_IN_MINUTES });
    const { customerId: late } = await register(await app.client());
    await tidy();
    expect(await typesOf(early)).toEqual([]);
    expect(await sql('SELECT to_regclass($1) AS month', [month])).toEqual([{ month: null }]);
    expect(await typesOf(late)).toEqual(['consumer.registered']);
  });

  it('of before it had months forgets day by day', async () => {
    const before = `audit_event_rest`;
    const insert = (days: number) =>
      sql(
        `INSERT INTO ${before} (id, occurred_at, type, details) VALUES (gen_random_uuid(), $1, 'page.viewed', '{"days": ${days}}')`,
        [new Date(clock.epochMs() - days * 86_400_000)],
      );
    await insert(400);
    await tidy();
    expect(await sql(`SELECT 1 FROM ${before}`)).toEqual([]);
  });

  it('is not deleted row by row', async () => {
    await (await app.client()).post('/api/v1/register', newPerson());
    await expect(sql('DELETE FROM audit_event')).rejects.toThrow('rows of audit_event go with their month');
  });
});
