import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { newPerson, PASSWORD, register } from '../support/consumers';
import { FaultLoad } from '../support/fault-load';
import { reportFault, seenBy } from '../support/fault-report';
import { brokenRows, lostAcknowledgements } from '../support/invariants';
import { PostgresCluster } from '../support/postgres-cluster';
import { CreatedTouchpoint, ServiceProcess } from '../support/service-process';

const CLIENTS = 8;
const ENDINGS = 40;
const FILES = 64;
const MAX_CONNECTIONS = 30;
/** Longer than a transaction whose statement and whose end both meet the deadline of six seconds. */
const FREEZE_MS = 14_000;
const FLOOD_INTERVAL_MS = 10;
/** Two, and what a test machine adds. */
const SLOWEST_REFUSAL_MS = 4_000;
/** How long a statement may take. */
const STATEMENT_MS = 5_000;
const ENDING_MS = 5_000;
const SLOWEST_RECOVERY_MS = 5_000;
const MAX_GROWTH_MIB = 100;

interface Fault {
  begin: (load: FaultLoad) => unknown;
  end?: () => unknown;
}

describe('the service', () => {
  let cluster: PostgresCluster;
  let dataDir: string;
  let env: Record<string, string>;
  let touchpoint: CreatedTouchpoint;
  let service: ServiceProcess;

  beforeAll(async () => {
    cluster = await PostgresCluster.start({ max_connections: MAX_CONNECTIONS });
    dataDir = await mkdtemp(join(tmpdir(), 'postgres-faults-'));
    env = {
      ...{ DATA_DIR: dataDir, DATABASE_URL: cluster.url, BCRYPT_COST: '4', HASH_QUEUE_LIMIT: '1000' },
      ...{ RATE_LIMIT_BURST: '0', RATE_LIMIT_SUSTAINED: '0' },
    };
    touchpoint = CreatedTouchpoint.create(env, 'shop');
    service = await ServiceProcess.start(env);
  }, 120_000);
  afterAll(async () => {
    await service.kill('SIGTERM');
    await cluster.dispose();
    await rm(dataDir, { recursive: true, force: true });
  });

  /** Breaks something under load and repairs it: nothing may be lost, and nothing answered but success and 503. */
  const survives = async (what: string, { begin, end }: Fault) => {
    const load = new FaultLoad(CLIENTS, () => touchpoint.clientOf(service));
    let recoveryMs: number;
    try {
      await load.flows(CLIENTS * 3);
      await begin(load);
      await end?.();
      recoveryMs = await service.waitUntilReady();
      await load.flows(CLIENTS * 3);
    } finally {
      await load.stop();
    }
    const lost = await lostAcknowledgements(touchpoint.clientOf(service), load.accounts);
    const broken = await brokenRows(cluster.url);
    reportFault(what, { ...seenBy(load), lost: lost.length, recoveryMs });
    expect([load.unexpected, service.faultsLogged]).toEqual([[], []]);
    expect([lost, broken, load.unanswered]).toEqual([[], [], 0]);
    expect(load.slowestRefusalMs).toBeLessThan(SLOWEST_REFUSAL_MS);
    expect(recoveryMs).toBeLessThan(SLOWEST_RECOVERY_MS);
    return load;
  };

  it('outlives more connections than it may have open files', async () => {
    // The embedded database has more files than that itself.
    const limited = await ServiceProcess.start(env, { limit: `ulimit -n ${FILES}` });
    try {
      const { hostname, port } = new URL(limited.baseUrl);
      const sockets = Array.from({ length: FILES * 2 }, () => connect(Number(port), hostname));
      for (const socket of sockets) socket.on('error', () => undefined);
      await Promise.all(sockets.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')])));
      await sleep(1_000);
      for (const socket of sockets) socket.destroy();
      const recoveryMs = await limited.waitUntilReady();
      const client = touchpoint.clientOf(limited);
      const load = new FaultLoad(CLIENTS, () => client);
      await load.flows(CLIENTS * 3);
      await load.stop();
      const lost = await lostAcknowledgements(client, load.accounts);
      reportFault(`${FILES * 2} connections with ${FILES} files`, { ...seenBy(load), lost: lost.length, recoveryMs });
      expect([lost, load.unexpected, limited.faultsLogged]).toEqual([[], [], []]);
      expect(load.accounts.length).toBeGreaterThan(0);
    } finally {
      await limited.kill('SIGTERM');
    }
  }, 120_000);

  it('refuses while PostgreSQL is stopped, and goes on when it is back', async () => {
    await survives('PostgreSQL stopped', {
      begin: async (load) => {
        cluster.stop();
        await load.isRefused(CLIENTS * 2);
      },
      end: () => {
        cluster.open();
      },
    });
  }, 60_000);

  it('goes on after a crash of PostgreSQL', async () => {
    await survives('PostgreSQL crashed and restarted', {
      begin: () => {
        cluster.stop('immediate');
      },
      end: () => {
        cluster.open();
      },
    });
  }, 60_000);

  it('refuses at once, and takes no more memory, while PostgreSQL hangs', async () => {
    const flood: Promise<{ status: number; ms: number }>[] = [];
    let waiting = 0;
    let mostWaiting = 0;
    let growthMib = 0;
    const { token } = await register(touchpoint.clientOf(service));
    const request = async () => {
      const startedAt = performance.now();
      waiting += 1;
      mostWaiting = Math.max(mostWaiting, waiting);
      const { status } = await touchpoint.clientOf(service).as(token).get('/api/v1/me');
      waiting -= 1;
      return { status, ms: performance.now() - startedAt };
    };
    await survives('PostgreSQL frozen', {
      begin: async () => {
        cluster.freeze();
        const beganAt = performance.now();
        const residentMib = service.residentMib;
        while (performance.now() - beganAt < FREEZE_MS) {
          flood.push(request());
          await sleep(FLOOD_INTERVAL_MS);
        }
        growthMib = service.residentMib - residentMib;
      },
      end: () => {
        cluster.thaw();
      },
    });
    const answers = await Promise.all(flood);
    const refused = answers.filter(({ status }) => status === 503).map(({ ms }) => ms);
    const slowest = Math.max(...answers.map(({ ms }) => ms));
    process.stderr.write(
      `  frozen: ${answers.length} requests, ${refused.length} refused, median ${median(refused)} ms, ` +
        `slowest ${Math.round(slowest)} ms, at most ${mostWaiting} waiting, memory +${growthMib} MiB\n`,
    );
    expect(refused.length).toBeGreaterThan(answers.length / 2);
    expect(slowest).toBeLessThan(SLOWEST_REFUSAL_MS);
    expect(median(refused)).toBeLessThan(500);
    expect(growthMib).toBeLessThan(MAX_GROWTH_MIB);
  }, 90_000);

  it('goes on when its connections are ended', async () => {
    await survives(`connections ended, ${ENDINGS} times`, {
      begin: async (load) => {
        for (let time = 0; time < ENDINGS; time += 1) {
          await endConnections();
          await load.flows(3);
        }
      },
    });
  }, 60_000);

  it('refuses while PostgreSQL has no connection left, and goes on when it has', async () => {
    const others: Client[] = [];
    await survives('no connection left', {
      begin: async (load) => {
        // Those of the service end one by one, and others take their places.
        await endConnections();
        for (let full = false; !full;) {
          full = await cluster.connection().then(
            (other) => !others.push(other),
            (error: unknown) => (error as { code?: string }).code === '53300',
          );
        }
        await others[0]?.query(ending(0));
        for (let taken = 0; taken < MAX_CONNECTIONS; taken += 1) {
          await cluster.connection().then(
            (other) => others.push(other),
            () => undefined,
          );
        }
        await load.isRefused(1);
      },
      end: () => Promise.all(others.map((other) => other.end())),
    });
  }, 60_000);

  it('refuses what writes while PostgreSQL only reads, and goes on when it writes again', async () => {
    const setReadOnly = async (on: boolean) => {
      await cluster.query(`ALTER SYSTEM SET default_transaction_read_only = ${on ? 'on' : 'off'}`);
      await cluster.query('SELECT pg_reload_conf()');
    };
    await survives('read-only', {
      begin: async (load) => {
        await setReadOnly(true);
        await load.isRefused(CLIENTS * 2);
      },
      end: () => setReadOnly(false),
    });
  }, 60_000);

  it.each(['40001', '40P01'])(
    'repeats a transaction that was rolled back with %s, three times',
    async (code) => {
      const client = touchpoint.clientOf(service);
      await cluster.query(`
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
      await endConnections(ENDING_MS);
      const emails: string[] = [];
      for (let round = 0; round < 5; round += 1) emails.push((await register(client)).email);
      await cluster.query(`ALTER DATABASE postgres SET fault.period = 1000; ALTER SEQUENCE fault RESTART`);
      await endConnections(ENDING_MS);
      const refused = await client.post('/api/v1/register', newPerson());
      expect(refused).toMatchObject({ status: 503, body: { code: 'SERVICE_UNAVAILABLE' } });
      expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
      const [tries] = await cluster.query<{ count: string }>('SELECT last_value AS count FROM fault');
      expect(tries?.count).toBe('4');
      await cluster.query(
        'DROP FUNCTION fail CASCADE; DROP SEQUENCE fault; ALTER DATABASE postgres RESET fault.period',
      );
      for (const identifier of emails) {
        expect((await client.post('/api/v1/login', { identifier, password: PASSWORD })).status).toBe(200);
      }
      expect(await brokenRows(cluster.url)).toEqual([]);
    },
    60_000,
  );

  it('gives up a statement that waits longer than five seconds, and hinders no other meanwhile', async () => {
    const client = touchpoint.clientOf(service);
    const { email, token } = await register(client);
    const other = await cluster.connection();
    try {
      await other.query('BEGIN; LOCK TABLE session');
      const sentAt = performance.now();
      const reading = client
        .as(token)
        .get('/api/v1/me')
        .then((answer) => ({ answer, ms: performance.now() - sentAt }));
      while ((await cluster.query<object>(WAITING_FOR_SESSIONS)).length === 0) await sleep(20);
      const wrong = await client.post('/api/v1/login', { identifier: email, password: 'a wrong guess' });
      expect(wrong.status).toBe(401);
      const { answer, ms } = await reading;
      expect(answer).toMatchObject({ status: 503, body: { code: 'SERVICE_UNAVAILABLE' } });
      expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0);
      expect(ms).toBeGreaterThan(STATEMENT_MS - 100);
      expect(ms).toBeLessThan(STATEMENT_MS + SLOWEST_REFUSAL_MS);
    } finally {
      await other.end();
    }
    expect((await client.as(token).get('/api/v1/me')).status).toBe(200);
  }, 60_000);

  it('repeats the password change that a deadlock has ended', async () => {
    const client = touchpoint.clientOf(service);
    const { customerId, email, token } = await register(client);
    await client.post('/api/v1/login', { identifier: email, password: PASSWORD });
    const other = await cluster.connection();
    await other.query(`SET deadlock_timeout = '1min'; BEGIN`);
    // The one of the login: the password change reads its own before it ends the others.
    await other.query('SELECT 1 FROM session WHERE consumer_id = $1 ORDER BY id DESC LIMIT 1 FOR UPDATE', [customerId]);
    const newPassword = `${PASSWORD} anew`;
    const changing = client.as(token).post('/api/v1/password/change', { currentPassword: PASSWORD, newPassword });
    while ((await cluster.query<object>(WAITING_TO_END_SESSIONS)).length === 0) await sleep(20);
    // Now each waits for the other, until PostgreSQL ends the service's transaction.
    await other.query('UPDATE credential SET version = version WHERE consumer_id = $1', [customerId]);
    await other.query('ROLLBACK');
    await other.end();
    expect((await changing).status).toBe(204);
    expect((await client.post('/api/v1/login', { identifier: email, password: newPassword })).status).toBe(200);
    const [{ count } = { count: '' }] = await cluster.query<{ count: string }>(
      `SELECT count(*) FROM audit_event WHERE consumer_id = $1 AND type = 'password.changed'`,
      [customerId],
    );
    expect(count).toBe('1');
  }, 60_000);

  it('starts as two replicas at once on an empty database', async () => {
    const url = await cluster.createDatabase('empty');
    const start = () => ServiceProcess.start({ ...env, DATABASE_URL: url });
    const [one, other] = await Promise.all([start(), start()]);
    const own = CreatedTouchpoint.create({ ...env, DATABASE_URL: url }, 'shop');
    let turn = 0;
    const load = new FaultLoad(CLIENTS, () => own.clientOf((turn += 1) % 2 === 0 ? one : other));
    await load.flows(CLIENTS * 4);
    await load.stop();
    const lost = await lostAcknowledgements(own.clientOf(one), load.accounts);
    const broken = await brokenRows(url);
    reportFault('two replicas started at once', { ...seenBy(load), lost: lost.length, recoveryMs: 0 });
    for (const replica of [one, other]) expect(await replica.kill('SIGTERM')).toBe(0);
    expect([load.unexpected, lost, broken, load.refused]).toEqual([[], [], [], 0]);
  }, 120_000);

  const endConnections = (patienceMs = 0) => cluster.query(ending(patienceMs));
});

/** `patienceMs`: how long at most is waited until each of the service's connections is gone; the service may use one before. */
const ending = (patienceMs: number) =>
  `SELECT pg_terminate_backend(pid, ${patienceMs}) FROM pg_stat_activity WHERE application_name = 'consumer-service'`;
const WAITING_FOR_SESSIONS = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%session%'`;
const WAITING_TO_END_SESSIONS = `${WAITING_FOR_SESSIONS} AND query LIKE 'UPDATE session%'`;

const median = (values: number[]): number => Math.round(values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN);
