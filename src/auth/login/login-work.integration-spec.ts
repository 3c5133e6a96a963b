import { EventEmitter, once } from 'node:events';
import { HashingPool } from '../passwords/hashing/hashing-pool';
import type { ApiClient } from '../../../test/support/api/api-client';
import { PASSWORD, register } from '../../../test/support/api/consumers';
import { TestApp } from '../../../test/support/in-process/test-app';
import { LoginRepository } from './login.repository';

describe('what a login costs', () => {
  let app: TestApp;
  let client: ApiClient;

  beforeAll(async () => {
    app = await TestApp.start();
    client = await app.client();
  });
  afterAll(() => app.close());

  const login = (identifier: string, password = PASSWORD, from = client) =>
    from.post('/api/v1/login', { identifier, password });

  const together = <T>(count: number, task: (index: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, index) => task(index)));

  const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status);

  it('does the same work for every failure', async () => {
    const { email, customerId } = await register(client);
    const { customerId: imported } = await register(client);
    const disabled = await register(client);
    await app.dataSource.query('UPDATE consumer SET disabled_at = now() WHERE id = $1', [disabled.customerId]);
    await app.dataSource.query('DELETE FROM credential WHERE consumer_id = $1', [imported]);
    const compare = jest.spyOn(app.nest.get(HashingPool), 'compare');
    const identifiers = [
      ...[disabled.email, disabled.customerId],
      ...[email, customerId, imported, 'nobody@example.com', '+12025550121'],
      ...['01a1fc6f-0000-7000-8000-000000000000', '00000000-0000-0000-0000-000000000000', 'Ada'],
      ...['ada@', '+1', '\u202e', 'x'.repeat(10_000), "' OR 1=1 --", '%', `${email}, nobody@example.com`],
    ];
    for (const identifier of identifiers) expect((await login(identifier, 'a wrong guess')).status).toBe(401);
    expect(compare).toHaveBeenCalledTimes(identifiers.length);
    const work = compare.mock.calls.map(([, secret, hash, decoys]) =>
      typeof hash === 'string' ? [secret.length, hash.length, hash.slice(0, 7), decoys.length].join() : 'not ours',
    );
    expect(new Set(work)).toEqual(new Set(['64,60,$2b$04$,0']));
    compare.mockRestore();
  });

  it('evaluates at most ten of many guesses at once, and asks the database little about the rest', async () => {
    const { email } = await register(client);
    const compare = jest.spyOn(app.nest.get(HashingPool), 'compare');
    const count = jest.spyOn(app.nest.get(LoginRepository), 'findAccountAndCountGuess');
    const answers = await together(40, (index) => login(email, `wrong guess ${index}`));
    expect(compare).toHaveBeenCalledTimes(10);
    expect(count).toHaveBeenCalledTimes(40);
    expect(statuses(answers).sort()).toEqual([...Array<number>(10).fill(401), ...Array<number>(30).fill(429)]);
    compare.mockRestore();
    count.mockRestore();
  });

  it('refuses a stranger at once while the owner, whose guesses are counted apart, is logging in', async () => {
    const { email } = await register(client);
    const home = client.with({ 'X-Consumer-IP': '203.0.113.20' });
    expect((await login(email, PASSWORD, home)).status).toBe(200);
    expect(statuses(await together(10, () => login(email, 'a wrong guess')))).toEqual(Array(10).fill(401));
    const pool = app.nest.get(HashingPool);
    const compare = pool.compare.bind(pool);
    const gate = new EventEmitter();
    const held = jest.spyOn(pool, 'compare').mockImplementation(async (...task) => {
      const opened = once(gate, 'opened');
      gate.emit('reached');
      await opened;
      return compare(...task);
    });
    const reached = once(gate, 'reached');
    const owner = login(email, PASSWORD, home);
    try {
      await reached;
      expect((await login(email)).status).toBe(429);
    } finally {
      gate.emit('opened');
      held.mockRestore();
    }
    expect((await owner).status).toBe(200);
  });
});
