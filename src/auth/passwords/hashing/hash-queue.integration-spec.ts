import { EventEmitter, once } from 'node:events';
import Piscina from 'piscina';
import { HashingPool } from './hashing-pool';
import type { ApiClient } from '../../../../test/support/api/api-client';
import { type ProblemBody } from '../../../../test/support/api/problems';
import { TestApp } from '../../../../test/support/in-process/test-app';
import { until } from '../../../../test/support/until';

const QUEUE_LIMIT = 7;
const WITH_THE_RUNNING_ONE = QUEUE_LIMIT + 1;

describe('passwords that wait for the only hashing thread', () => {
  let app: TestApp;
  let [flooding, shop]: ApiClient[] = [];
  let guesses = 0;
  const gate = new EventEmitter();

  beforeAll(async () => {
    app = await TestApp.start({ env: { HASH_WORKERS: '1', HASH_QUEUE_LIMIT: `${QUEUE_LIMIT}` } });
    [flooding, shop] = [await app.client(), await app.client()];
  });
  afterEach(() => {
    gate.emit('release');
    jest.restoreAllMocks();
  });
  afterAll(() => app.close());

  const login = (client?: ApiClient) => {
    if (!client) throw new Error('There are two touchpoints');
    guesses += 1;
    const [identifier, password] = [`n${guesses}@example.com`, `guess ${guesses}`];
    return client.post<ProblemBody>('/api/v1/login', { identifier, password });
  };

  const logins = (count: number, client?: ApiClient) => Array.from({ length: count }, () => login(client));

  /** The first comparison keeps the thread until it is released, and does not match. */
  function holdTheThread() {
    const asked = jest.spyOn(app.nest.get(HashingPool), 'compare');
    const begun = jest.spyOn(Piscina.prototype, 'run').mockImplementationOnce(async () => {
      await once(gate, 'release');
      return false;
    });
    return {
      release: () => gate.emit('release'),
      untilAsked: (times: number) => until(() => asked.mock.calls.length === times),
      /** What had the thread, in order: 0 is the comparison that was asked for first, 1 the next. */
      turns: () => {
        const secrets = asked.mock.calls.map(([, secret]) => secret);
        return begun.mock.calls.map(([task]) => secrets.indexOf((task as { secret: string }).secret));
      },
    };
  }

  async function outcomes(answers: ReturnType<typeof login>[]): Promise<Record<number, number>> {
    const counts: Record<number, number> = {};
    for (const { status, headers } of await Promise.all(answers)) {
      counts[status] = (counts[status] ?? 0) + 1;
      if (status === 503) expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0);
    }
    return counts;
  }

  it('have the whole queue when one touchpoint is alone, and are refused beyond it', async () => {
    const { release, untilAsked } = holdTheThread();
    const first = logins(WITH_THE_RUNNING_ONE, flooding);
    await untilAsked(WITH_THE_RUNNING_ONE);
    const { running, waiting } = app.nest.get(HashingPool);
    expect({ running, waiting }).toEqual({ running: 1, waiting: QUEUE_LIMIT });
    const further = logins(3, flooding);
    await untilAsked(WITH_THE_RUNNING_ONE + 3);
    release();
    expect(await outcomes(further)).toEqual({ 503: 3 });
    expect(await outcomes(first)).toEqual({ 401: WITH_THE_RUNNING_ONE });
  });

  it('make room for another touchpoint’s, the newest of the one with the most first, until both have as many', async () => {
    const { release, untilAsked, turns } = holdTheThread();
    const flood = logins(WITH_THE_RUNNING_ONE, flooding);
    await untilAsked(WITH_THE_RUNNING_ONE);
    const others = logins(4, shop);
    await untilAsked(WITH_THE_RUNNING_ONE + 4);
    release();
    expect(await outcomes(flood)).toEqual({ 401: WITH_THE_RUNNING_ONE - 3, 503: 3 });
    expect(await outcomes(others)).toEqual({ 401: 3, 503: 1 });
    expect(turns()).toEqual([0, 1, 8, 2, 9, 3, 10, 4]);
  });

  it('are compared by turns, so that one who comes late does not wait behind a flood', async () => {
    const { release, untilAsked, turns } = holdTheThread();
    const flood = logins(QUEUE_LIMIT, flooding);
    await untilAsked(QUEUE_LIMIT);
    const late = login(shop);
    await untilAsked(QUEUE_LIMIT + 1);
    release();
    expect(await outcomes([...flood, late])).toEqual({ 401: WITH_THE_RUNNING_ONE });
    expect(turns()).toEqual([0, 1, QUEUE_LIMIT, 2, 3, 4, 5, 6]);
  });
});
