import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { newPerson, register } from '../support/api/consumers';
import { FaultLoad } from '../support/faults/load';
import { reportFault, seenBy } from '../support/faults/report';
import { endingConnections, MAX_CONNECTIONS, ServiceOnCluster } from '../support/faults/service-on-cluster';
import { brokenRows, lostAcknowledgements } from '../support/faults/invariants';

const CLIENTS = 8;
const ENDINGS = 40;
/** Longer than a transaction whose statement and whose end both meet the deadline of six seconds. */
const FREEZE_MS = 14_000;
const FLOOD_INTERVAL_MS = 10;
/** Two, and what a test machine adds. */
const SLOWEST_REFUSAL_MS = 4_000;
const SLOWEST_RECOVERY_MS = 5_000;
const MAX_GROWTH_MIB = 100;

interface Fault {
  begin: (load: FaultLoad) => unknown;
  end?: () => unknown;
}

describe('when PostgreSQL fails, the service', () => {
  let on: ServiceOnCluster;

  beforeAll(async () => {
    on = await ServiceOnCluster.start();
  }, 120_000);
  afterAll(() => on.dispose());

  /** Breaks something under load and repairs it: nothing may be lost, and nothing answered but success and 503. */
  const survives = async (what: string, { begin, end }: Fault) => {
    const load = new FaultLoad(CLIENTS, () => on.client);
    let recoveryMs: number;
    try {
      await load.flows(CLIENTS * 3);
      await begin(load);
      await end?.();
      recoveryMs = await on.service.waitUntilReady();
      await load.flows(CLIENTS * 3);
    } finally {
      await load.stop();
    }
    const lost = await lostAcknowledgements(on.client, load.accounts);
    const broken = await brokenRows(on.cluster.url);
    reportFault(what, { ...seenBy(load), lost: lost.length, recoveryMs });
    expect([load.unexpected, on.service.faultsLogged]).toEqual([[], []]);
    expect([lost, broken, load.unanswered]).toEqual([[], [], 0]);
    expect(load.slowestRefusalMs).toBeLessThan(SLOWEST_REFUSAL_MS);
    expect(recoveryMs).toBeLessThan(SLOWEST_RECOVERY_MS);
    return load;
  };

  it('refuses while PostgreSQL is stopped, and goes on when it is back', async () => {
    await survives('PostgreSQL stopped', {
      begin: async (load) => {
        await on.cluster.stop();
        await load.isRefused(CLIENTS * 2);
      },
      end: () => on.cluster.open(),
    });
  }, 60_000);

  it('goes on after a crash of PostgreSQL', async () => {
    await survives('PostgreSQL crashed and restarted', {
      begin: () => on.cluster.stop('immediate'),
      end: () => on.cluster.open(),
    });
  }, 60_000);

  it('takes a repeated request when PostgreSQL is back, and not only when the key of the first would be free', async () => {
    const person = newPerson();
    const client = on.client.with({ 'Idempotency-Key': person.email });
    const other = await on.cluster.connection();
    await other.query('BEGIN; LOCK TABLE session');
    const first = client.post('/api/v1/register', person);
    while ((await on.cluster.query<object>(WAITING)).length === 0) await sleep(20);
    await on.cluster.stop('immediate');
    expect((await first).status).toBe(503);
    await on.cluster.open();
    await on.service.waitUntilReady();
    const backAt = performance.now();
    let answer = await client.post('/api/v1/register', person);
    while (answer.body.code === 'REQUEST_IN_PROGRESS') {
      await sleep(100);
      answer = await client.post('/api/v1/register', person);
    }
    expect(answer.status).toBe(201);
    expect(performance.now() - backAt).toBeLessThan(SLOWEST_RECOVERY_MS);
  }, 90_000);

  it('acknowledges nothing that the standby has not confirmed', async () => {
    const setStandby = async (name: string) => {
      await on.cluster.query(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
      await on.cluster.query('SELECT pg_reload_conf()');
    };
    await setStandby('absent');
    const person = newPerson();
    expect((await on.client.post('/api/v1/register', person)).status).toBe(503);
    await setStandby('');
    await on.service.waitUntilReady();
    expect((await on.client.post('/api/v1/register', newPerson())).status).toBe(201);
  }, 90_000);

  it('refuses at once, and takes no more memory, while PostgreSQL hangs', async () => {
    const flood: Promise<{ status: number; ms: number }>[] = [];
    let waiting = 0;
    let mostWaiting = 0;
    let growthMib = 0;
    const { token } = await register(on.client);
    const request = async () => {
      const startedAt = performance.now();
      waiting += 1;
      mostWaiting = Math.max(mostWaiting, waiting);
      const { status } = await on.client.as(token).get('/api/v1/me');
      waiting -= 1;
      return { status, ms: performance.now() - startedAt };
    };
    await survives('PostgreSQL frozen', {
      begin: async () => {
        on.cluster.freeze();
        const beganAt = performance.now();
        const residentMib = on.service.residentMib;
        while (performance.now() - beganAt < FREEZE_MS) {
          flood.push(request());
          await sleep(FLOOD_INTERVAL_MS);
        }
        growthMib = on.service.residentMib - residentMib;
      },
      end: () => {
        on.cluster.thaw();
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
          await on.endConnections();
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
        await on.endConnections();
        for (let full = false; !full;) {
          full = await on.cluster.connection().then(
            (other) => !others.push(other),
            (error: unknown) => (error as { code?: string }).code === '53300',
          );
        }
        await others[0]?.query(endingConnections());
        for (let taken = 0; taken < MAX_CONNECTIONS; taken += 1) {
          await on.cluster.connection().then(
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
    const setReadOnly = async (isReadOnly: boolean) => {
      await on.cluster.query(`ALTER SYSTEM SET default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`);
      await on.cluster.query('SELECT pg_reload_conf()');
    };
    await survives('read-only', {
      begin: async (load) => {
        await setReadOnly(true);
        await load.isRefused(CLIENTS * 2);
      },
      end: () => setReadOnly(false),
    });
  }, 60_000);
});

const WAITING = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name = 'consumer-service'`;

const median = (values: number[]): number => Math.round(values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN);
