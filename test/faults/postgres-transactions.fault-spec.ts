import { setTimeout as sleep } from 'node:timers/promises';
import { newPerson, PASSWORD, register } from '../support/api/consumers';
import { ServiceOnCluster } from '../support/faults/service-on-cluster';
import { brokenRows } from '../support/faults/invariants';

/** How long a statement waits for a lock. */
const LOCK_MS = 2_000;
const ENDING_MS = 5_000;
/** What is less than the deadline of a statement, which is five seconds. */
const SLOWEST_REFUSAL_MS = 4_000;

describe('a transaction that PostgreSQL ends or holds up', () => {
  let on: ServiceOnCluster;

  beforeAll(async () => {
    on = await ServiceOnCluster.start();
  }, 120_000);
  afterAll(() => on.dispose());

  it.each(['40001', '40P01'])(
    'repeats a transaction that was rolled back with %s, three times',
    async (code) => {
      const client = on.client;
      await on.cluster.query(`
      CREATE SEQUENCE fault;
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF nextval('fault') % current_setting('fault.period')::int <> 0 THEN
          RAISE EXCEPTION 'made by the test' USING ERRCODE = '${code}';
        END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER fail BEFORE INSERT ON credential FOR EACH ROW EXECUTE FUNCTION fail();
      ALTER DATABASE postgres SET fault.period = 4`);
      await on.endConnections(ENDING_MS);
      const emails: string[] = [];
      for (let round = 0; round < 5; round += 1) emails.push((await register(client)).email);
      await on.cluster.query(`ALTER DATABASE postgres SET fault.period = 1000; ALTER SEQUENCE fault RESTART`);
      await on.endConnections(ENDING_MS);
      const refused = await client.post('/api/v1/register', newPerson());
      expect(refused).toMatchObject({ status: 503, body: { code: 'SERVICE_UNAVAILABLE' } });
      expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
      const [tries] = await on.cluster.query<{ count: string }>('SELECT last_value AS count FROM fault');
      expect(tries?.count).toBe('4');
      await on.cluster.query(
        'DROP FUNCTION fail CASCADE; DROP SEQUENCE fault; ALTER DATABASE postgres RESET fault.period',
      );
      for (const identifier of emails) {
        expect((await client.post('/api/v1/login', { identifier, password: PASSWORD })).status).toBe(200);
      }
      expect(await brokenRows(on.cluster.url)).toEqual([]);
    },
    60_000,
  );

  it('gives up a statement that waits for a lock longer than two seconds, and hinders no other meanwhile', async () => {
    const client = on.client;
    const { email, token } = await register(client);
    const other = await on.cluster.connection();
    try {
      await other.query('BEGIN; LOCK TABLE session');
      const sentAt = performance.now();
      const reading = client
        .as(token)
        .get('/api/v1/me')
        .then((answer) => ({ answer, ms: performance.now() - sentAt }));
      while ((await on.cluster.query<object>(WAITING_FOR_SESSIONS)).length === 0) await sleep(20);
      const wrong = await client.post('/api/v1/login', { identifier: email, password: 'a wrong guess' });
      expect(wrong.status).toBe(401);
      const { answer, ms } = await reading;
      expect(answer).toMatchObject({ status: 503, body: { code: 'SERVICE_UNAVAILABLE' } });
      expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0);
      expect(ms).toBeGreaterThan(LOCK_MS - 100);
      expect(ms).toBeLessThan(SLOWEST_REFUSAL_MS);
    } finally {
      await other.end();
    }
    expect((await client.as(token).get('/api/v1/me')).status).toBe(200);
  }, 60_000);

  it('repeats the password change that a deadlock has ended', async () => {
    const client = on.client;
    const { customerId, email, token } = await register(client);
    await client.post('/api/v1/login', { identifier: email, password: PASSWORD });
    const other = await on.cluster.connection();
    await other.query(`SET deadlock_timeout = '1min'; BEGIN`);
    // The one of the login: the password change reads its own before it ends the others.
    await other.query('SELECT 1 FROM session WHERE consumer_id = $1 ORDER BY id DESC LIMIT 1 FOR UPDATE', [customerId]);
    const newPassword = `${PASSWORD} anew`;
    const changing = client.as(token).post('/api/v1/password/change', { currentPassword: PASSWORD, newPassword });
    while ((await on.cluster.query<object>(WAITING_TO_END_SESSIONS)).length === 0) await sleep(20);
    // Now each waits for the other, until PostgreSQL ends the service's transaction.
    await other.query('UPDATE credential SET version = version WHERE consumer_id = $1', [customerId]);
    await other.query('ROLLBACK');
    await other.end();
    expect((await changing).status).toBe(204);
    expect((await client.post('/api/v1/login', { identifier: email, password: newPassword })).status).toBe(200);
    const [{ count } = { count: '' }] = await on.cluster.query<{ count: string }>(
      `SELECT count(*) FROM audit_event WHERE consumer_id = $1 AND type = 'password.changed'`,
      [customerId],
    );
    expect(count).toBe('1');
  }, 60_000);
});

const WAITING_FOR_SESSIONS = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%session%'`;
const WAITING_TO_END_SESSIONS = `${WAITING_FOR_SESSIONS} AND query LIKE '%UPDATE session%'`;
