import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from '../support/api/api-client';
import { newPerson } from '../support/api/consumers';
import { credential, EVENTS } from '../support/api/subscribers';
import { ServiceOnCluster } from '../support/faults/service-on-cluster';
import { until } from '../support/until';

const LOCKED_MS = 10_000;
/** Twenty registrations a second, which would hold forty connections for the two seconds that a lock is waited for. */
const INTERVAL_MS = 50;
const BETWEEN_READS_MS = 250;
/** In milliseconds. Half of the reads: where other work takes the cores a single one says little. */
const MEDIAN_READ_MS = 2_000;

describe('a table that is locked', () => {
  let on: ServiceOnCluster;
  let feed: ApiClient;

  beforeAll(async () => {
    on = await ServiceOnCluster.start();
    const create = ['dist/cli.js', 'subscriber', 'create', '--code', 'crm', '--json'];
    const options = { env: { PATH: process.env.PATH, ...on.env }, encoding: 'utf8' } as const;
    const { key } = JSON.parse(execFileSync(process.execPath, create, options)) as { key: string };
    feed = new ApiClient(on.service.baseUrl, {}).with(credential('crm', key));
  }, 120_000);
  afterAll(() => on.dispose());

  const timed = async (send: () => Promise<{ status: number }>) => {
    const sentAt = performance.now();
    const { status } = await send();
    return { status, ms: Math.round(performance.now() - sentAt) };
  };
  const slowest = (answers: { ms: number }[]) => Math.max(...answers.map(({ ms }) => ms));
  const median = (answers: { ms: number }[]) =>
    answers.map(({ ms }) => ms).toSorted((a, b) => a - b)[answers.length >> 1] ?? NaN;

  it.each(['session', 'consumer'])(
    'is missed by those who need %s, and by nobody else',
    async (table) => {
      const other = await on.cluster.connection();
      await other.query(`BEGIN; LOCK TABLE ${table}`);
      const registrations: ReturnType<typeof timed>[] = [];
      const reads: ReturnType<typeof timed>[] = [];
      const startedAt = performance.now();
      for (let count = 0; performance.now() - startedAt < LOCKED_MS; count += 1) {
        registrations.push(timed(() => on.client.post('/api/v1/register', newPerson())));
        if (count % (BETWEEN_READS_MS / INTERVAL_MS) === 0) reads.push(timed(() => feed.get(EVENTS)));
        await sleep(INTERVAL_MS);
      }
      const [refused, read] = await Promise.all([Promise.all(registrations), Promise.all(reads)]);
      await other.query('ROLLBACK');
      await other.end();
      process.stderr.write(
        `  ${table} locked: ${refused.length} registrations refused, the slowest after ${slowest(refused)} ms; ` +
          `${read.length} reads of events, half of them within ${median(read)} ms, the slowest in ${slowest(read)} ms\n`,
      );
      expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]));
      expect(new Set(read.map(({ status }) => status))).toEqual(new Set([200]));
      expect(median(read)).toBeLessThan(MEDIAN_READ_MS);
      await until(async () => (await on.client.post('/api/v1/register', newPerson())).status === 201);
      expect(on.service.faultsLogged).toEqual([]);
    },
    60_000,
  );
});
