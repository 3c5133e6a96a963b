import { register } from '../../test/support/api/consumers';
import { FixedClock } from '../../test/support/in-process/fixed-clock';
import { TestApp } from '../../test/support/in-process/test-app';
import { ExpiredRows } from '../platform/jobs/expired-rows';

describe('the audit trail', () => {
  const clock = new FixedClock();
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.start({ clock, env: { AUDIT_RETENTION_DAYS: '30' } });
  });
  afterAll(() => app.close());

  it('forgets what is older than its retention', async () => {
    const typesOf = async (consumerId: string) => {
      const rows = await app.dataSource.query<{ type: string }[]>(
        'SELECT type FROM audit_event WHERE consumer_id = $1',
        [consumerId],
      );
      return rows.map(({ type }) => type);
    };
    const { customerId: early } = await register(await app.client());
    clock.advance({ minutes: 31 * 24 * 60 });
    const { customerId: late } = await register(await app.client());
    await app.nest.get(ExpiredRows).deleteAll();
    expect(await typesOf(early)).toEqual([]);
    expect(await typesOf(late)).toEqual(['consumer.registered']);
  });
});
