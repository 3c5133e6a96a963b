import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../support/api/api-client';
import { expectStatus, newPerson, register } from '../support/api/consumers';
import { ServiceOnCluster } from '../support/faults/service-on-cluster';
import { ServiceProcess } from '../support/service/service-process';
import { until } from '../support/until';

const ROLE = 'ALTER ROLE postgres';
/** More than the connections that the service has. */
const CROWD = 30;

describe('a server that is not the one to ask', () => {
  let on: ServiceOnCluster;

  beforeAll(async () => {
    on = await ServiceOnCluster.start();
  }, 120_000);
  afterAll(() => on.dispose());

  const registering = async () => (await on.client.post('/api/v1/register', newPerson())).status;
  const ready = async () => (await on.client.get('/health/ready')).status;

  it('is left when it turns out to be read-only, by every connection, as soon as there is another', async () => {
    // A failover as its clients see it: the connections of now lead to what has become a replica.
    await on.cluster.query(`${ROLE} SET default_transaction_read_only = on`);
    await on.endConnections(5_000);
    await until(async () => (await registering()) === 503);
    await until(async () => (await ready()) === 503);
    // All of them are open, and read-only, some only just.
    await Promise.all(Array.from({ length: CROWD }, registering));

    await on.cluster.query(`BEGIN READ WRITE; ${ROLE} RESET default_transaction_read_only; COMMIT`);
    // No connection is left that must first be found out.
    const statuses = await Promise.all(Array.from({ length: CROWD }, registering));
    expect(new Set(statuses)).toEqual(new Set([201]));
    await until(async () => (await ready()) === 200);
  });

  it('ends the transactions of a process that has gone silent, and gives its locks to others', async () => {
    const { token } = await register(on.client);
    const change = (client: ApiClient) => client.as(token).patch('/api/v1/me', { firstName: `Ada ${randomUUID()}` });
    const replica = await ServiceProcess.start(on.env);
    let isFrozen = false;
    const traffic = async () => {
      while (!isFrozen) await change(on.client);
    };
    const silent = Array.from({ length: 8 }, traffic);
    for (;;) {
      on.service.signal('SIGSTOP');
      isFrozen = (await openTransactions()) > 0;
      if (isFrozen) break;
      on.service.signal('SIGCONT');
      await sleep(5);
    }
    await until(async () => (await openTransactions()) === 0);
    expectStatus(200, await change(on.touchpoint.clientOf(replica)));
    on.service.signal('SIGCONT');
    await Promise.all(silent);
    expectStatus(200, await change(on.client));
    await replica.kill('SIGTERM');
  });

  /** Transactions of the service that wait for its next statement. */
  async function openTransactions(): Promise<number> {
    const [row] = await on.cluster.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_stat_activity
        WHERE application_name = 'consumer-service' AND state = 'idle in transaction'`,
    );
    return row?.count ?? 0;
  }
});
