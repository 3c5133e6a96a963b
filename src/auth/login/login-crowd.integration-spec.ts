import { EventEmitter, once } from 'node:events';
import { HashingPool } from '../passwords/hashing/hashing-pool';
import type { ApiClient } from '../../../test/support/api/api-client';
import { PASSWORD, register } from '../../../test/support/api/consumers';
import type { ProblemBody } from '../../../test/support/api/problems';
import { TestApp } from '../../../test/support/in-process/test-app';

describe('many logins of one identifier at once', () => {
  let app: TestApp;
  let client: ApiClient;

  beforeAll(async () => {
    app = await TestApp.start();
    client = await app.client();
  });
  afterAll(() => app.close());

  const login = (from: ApiClient, identifier: string) =>
    from.post<ProblemBody>('/api/v1/login', { identifier, password: PASSWORD });

  it('leave fifty of them waiting at most, and none for longer than five seconds', async () => {
    const { email } = await register(client);
    const pool = app.nest.get(HashingPool);
    const compare = pool.compare.bind(pool);
    const gate = new EventEmitter().setMaxListeners(0);
    const held = jest.spyOn(pool, 'compare').mockImplementation(async (...task) => {
      await once(gate, 'opened');
      return compare(...task);
    });
    const refusedAfter: number[] = [];
    const startedAt = performance.now();
    const answers = Array.from({ length: 70 }, async () => {
      const { status, body, headers } = await login(client, email);
      if (status === 429) {
        expect([body.code, headers.get('Retry-After')]).toEqual(['LOGIN_THROTTLED', '5']);
        refusedAfter.push((performance.now() - startedAt) / 1000);
        if (refusedAfter.length === 65) gate.emit('opened');
      }
      return status;
    });
    try {
      expect((await Promise.all(answers)).sort()).toEqual([
        ...Array<number>(5).fill(200),
        ...Array<number>(65).fill(429),
      ]);
      expect(refusedAfter.filter((seconds) => seconds < 5)).toHaveLength(15);
    } finally {
      held.mockRestore();
    }
    expect((await login(client, email)).status).toBe(200);
  });

  it('all succeed at home, and one elsewhere beside them', async () => {
    const { email } = await register(client);
    const home = client.with({ 'X-Consumer-IP': '203.0.113.1' });
    expect((await login(home, email)).status).toBe(200);
    const answers = Array.from({ length: 30 }, (_, index) => login(index === 15 ? client : home, email));
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(30).fill(200));
  });
});
