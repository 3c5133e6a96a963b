import { setTimeout as sleep } from 'node:timers/promises';
import { HashingPool } from './hashing-pool';
import type { ApiClient } from '../../../../test/support/api/api-client';
import { type ProblemBody } from '../../../../test/support/api/problems';
import { TestApp } from '../../../../test/support/in-process/test-app';

const QUEUE_LIMIT = 7;
const WITH_THE_RUNNING_ONE = QUEUE_LIMIT + 1;

describe('passwords that wait for the only hashing thread', () => {
  let app: TestApp;
  let [flooding, shop]: ApiClient[] = [];
  let names = 0;

  beforeAll(async () => {
    app = await TestApp.start({
      env: { HASH_WORKERS: '1', HASH_QUEUE_LIMIT: `${QUEUE_LIMIT}`, BCRYPT_COST: '11' },
    });
    [flooding, shop] = [await app.client(), await app.client()];
    await login(shop);
  });
  afterAll(() => app.close());

  const login = (client = shop) => {
    if (!client) throw new Error('There are two touchpoints');
    names += 1;
    return client.post<ProblemBody>('/api/v1/login', { identifier: `n${names}@example.com`, password: 'a guess' });
  };

  const logins = (count: number, client?: ApiClient) => Array.from({ length: count }, () => login(client));

  async function outcomes(answers: ReturnType<typeof login>[]): Promise<Record<number, number>> {
    const counts: Record<number, number> = {};
    for (const { status, headers } of await Promise.all(answers)) {
      counts[status] = (counts[status] ?? 0) + 1;
      if (status === 503) expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0);
    }
    return counts;
  }

  async function untilTheQueueIsFull(): Promise<void> {
    const pool = app.nest.get(HashingPool);
    while (pool.waiting < pool.limit) await sleep(5);
  }

  it('have the whole queue when one touchpoint is alone', async () => {
    expect(await outcomes(logins(WITH_THE_RUNNING_ONE, flooding))).toEqual({ 401: WITH_THE_RUNNING_ONE });
  });

  it('are refused beyond it', async () => {
    const first = logins(WITH_THE_RUNNING_ONE, flooding);
    await untilTheQueueIsFull();
    expect(await outcomes(logins(3, flooding))).toEqual({ 503: 3 });
    expect(await outcomes(first)).toEqual({ 401: WITH_THE_RUNNING_ONE });
  });

  it('make room for another touchpoint’s, the newest of the one with the most first, until both have as many', async () => {
    const flood = logins(WITH_THE_RUNNING_ONE, flooding);
    await untilTheQueueIsFull();
    const others = logins(4, shop);
    expect(await outcomes(flood)).toEqual({ 401: WITH_THE_RUNNING_ONE - 3, 503: 3 });
    expect(await outcomes(others)).toEqual({ 401: 3, 503: 1 });
  });

  it('are compared by turns, so that one who comes late does not wait behind a flood', async () => {
    const flood = logins(WITH_THE_RUNNING_ONE - 1, flooding);
    const pool = app.nest.get(HashingPool);
    while (pool.waiting < QUEUE_LIMIT - 1) await sleep(5);
    expect((await login(shop)).status).toBe(401);
    expect(pool.waiting).toBeGreaterThan(QUEUE_LIMIT - 4);
    expect(await outcomes(flood)).toEqual({ 401: WITH_THE_RUNNING_ONE - 1 });
  });
});
