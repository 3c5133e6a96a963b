import { register } from '../../test/support/api/consumers';
import { TestApp } from '../../test/support/in-process/test-app';
import { migrate } from '../platform/database/migrations/migrations';
import { AuditEventRepository } from './audit-event.repository';
import { AuditRetention } from './audit-retention';
import { AuditTrail } from './audit-trail.service';

const LAST_BEFORE = '0020-webhooks';
const ROWS = 2_000;

describe('a trail that was kept before it had months', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.start({ unprepared: true });
    const lastMigration = async () => {
      const [{ name }] = await app.dataSource.query<[{ name: string }]>(
        'SELECT name FROM migration ORDER BY id DESC LIMIT 1',
      );
      return name;
    };
    while (!(await lastMigration()).startsWith(LAST_BEFORE)) await app.dataSource.undoLastMigration();
    await app.dataSource.query(
      `INSERT INTO audit_event (id, occurred_at, type, touchpoint, details)
       SELECT gen_random_uuid(), now() - index * interval '8 hours', 'page.viewed', 'before', '{}'
       FROM generate_series(1, ${ROWS}) AS index`,
    );
  });
  afterAll(() => app.close());

  const countOf = async (table: string, condition = 'true') => {
    const [{ count }] = await app.dataSource.query<[{ count: number }]>(
      `SELECT count(*)::integer AS count FROM ${table} WHERE ${condition}`,
    );
    return count;
  };

  it('gets them under requests, and no event is lost, moved or held up', async () => {
    const client = await app.client();
    const migrated = new AbortController();
    const writing = (async () => {
      const written: string[] = [];
      while (!migrated.signal.aborted) written.push((await register(client)).customerId);
      return written;
    })();
    await migrate(app.dataSource);
    migrated.abort();
    const written = await writing;
    expect(await countOf('audit_event_before', `touchpoint = 'before'`)).toBe(ROWS);
    expect(await countOf('audit_event', `type = 'consumer.registered'`)).toBe(written.length);
    const { customerId } = await register(client);
    expect(await countOf('audit_event_before', `consumer_id = '${customerId}'`)).toBe(1);
  });

  it('is read page by page as before', async () => {
    const trail = app.nest.get(AuditTrail);
    const read: string[] = [];
    let before: string | undefined;
    for (let hasMore = true; hasMore;) {
      const page = await trail.page({ touchpoint: 'before' }, { limit: 500, before });
      read.push(...page.events.map(({ id }) => id));
      ({ hasMore } = page);
      before = page.events[0]?.id;
    }
    expect(new Set(read).size).toBe(ROWS);
  });

  it.each([{}, { touchpoint: 'before' }])('is read by %j and place through an index, in its order', async (filter) => {
    const manager = app.dataSource.createEntityManager();
    const sent = jest.spyOn(manager, 'query');
    const find = (place: { before?: string; after?: string }) =>
      app.nest.get(AuditEventRepository).findEvents(manager, filter, { limit: 20, ...place });
    const [, , place] = await find({});
    await find({ before: place?.id });
    await find({ after: place?.id });
    await app.dataSource.query('ANALYZE audit_event');
    const plans = await app.dataSource.transaction(async (session) => {
      // Months without events are read whole where that is allowed at all.
      await session.query('SET LOCAL enable_seqscan = off');
      const texts: string[] = [];
      for (const [statement, values] of sent.mock.calls) {
        texts.push(JSON.stringify(await session.query(`EXPLAIN (FORMAT JSON) ${statement}`, values)));
      }
      return texts;
    });
    for (const plan of plans) expect(plan).not.toMatch(/"Node Type":"(Seq Scan|Sort)"/);
    for (const plan of plans.slice(1)) {
      expect(plan).toMatch(/"Relation Name":"audit_event_before","[^}]*"Index Cond":"[^"]*occurred_at/);
    }
  });

  it('forgets what is older than the retention, and goes on in months', async () => {
    await app.nest.get(AuditRetention).tidy();
    expect(await countOf('audit_event', `touchpoint = 'before'`)).toBe(400 * 3 - 1);
    const [{ name }] = await app.dataSource.query<[{ name: string }]>(
      `INSERT INTO audit_event (id, occurred_at, type, details)
       VALUES (gen_random_uuid(), now() + interval '65 days', 'page.viewed', '{}') RETURNING tableoid::regclass::text AS name`,
    );
    expect(name).toMatch(/^audit_event_\d{4}_\d{2}$/);
  });
});
