import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { ConsumerAccess } from './administration/consumer-access.service';
import { ConsumerErasure } from './administration/consumer-erasure.service';
import { SERVICE_ORIGIN } from '../audit/origin';
import { isConflict } from '../platform/database/connection/database-errors';
import type { ApiClient } from '../../test/support/api/api-client';
import { PASSWORD, register } from '../../test/support/api/consumers';
import { TestApp } from '../../test/support/in-process/test-app';

const CHANGE = { currentPassword: PASSWORD, newPassword: 'hold fast to the analytical engine' };
const ROUNDS = 10;
const PATIENCE_MS = 10_000;

// Only on PostgreSQL: the embedded database runs one transaction at a time.
describe('changes of one consumer at once', () => {
  let app: TestApp;
  let conflicts: unknown[];
  let customer: ApiClient;
  let customerId: string;

  beforeAll(async () => {
    app = await TestApp.start();
  });
  afterAll(() => app.close());

  beforeEach(async () => {
    const client = await app.client();
    const session = await register(client.with({ 'Idempotency-Key': 'first' }));
    customer = client.as(session.token);
    ({ customerId } = session);
    conflicts = [];
    const original = Reflect.get(DataSource.prototype, 'transaction') as (...given: unknown[]) => Promise<unknown>;
    jest.spyOn(DataSource.prototype, 'transaction').mockImplementation(async function (this: DataSource, ...given) {
      try {
        return await original.apply(this, given);
      } catch (error) {
        if (isConflict(error)) conflicts.push(error);
        throw error;
      }
    });
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  const changePassword = () => customer.post('/api/v1/password/change', CHANGE);
  const erase = () => app.nest.get(ConsumerErasure).erase(customerId, SERVICE_ORIGIN);
  const revoke = () => app.nest.get(ConsumerAccess).revokeSessions(customerId, SERVICE_ORIGIN);

  /** Until so many statements wait for a row; the index that jobs make at first waits for every transaction. */
  async function waiting(count: number): Promise<void> {
    const patience = AbortSignal.timeout(PATIENCE_MS);
    for (;;) {
      const rows = await app.dataSource.query<unknown[]>(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event IN ('transactionid', 'tuple')`,
      );
      if (rows.length === count) return;
      patience.throwIfAborted();
      await sleep(20);
    }
  }

  /** Begins both, one after the other, while somebody else holds what `lock` takes. */
  async function inTurn<A, B>(lock: string, first: () => Promise<A>, second: () => Promise<B>): Promise<[A, B]> {
    const holder = app.dataSource.createQueryRunner();
    await holder.startTransaction();
    await holder.query(lock, [customerId]);
    const one = first();
    await waiting(1);
    const other = second();
    await waiting(2);
    await holder.commitTransaction();
    await holder.release();
    return Promise.all([one, other]);
  }

  it('do not wait in a circle when an erasure meets a password change', async () => {
    const [, { status }] = await inTurn(
      'SELECT FROM credential WHERE consumer_id = $1 FOR UPDATE',
      erase,
      changePassword,
    );
    expect([status, conflicts]).toEqual([401, []]);
  });

  it('do not wait in a circle when an end of all sessions meets a password change', async () => {
    const [, { status }] = await inTurn('SELECT FROM session WHERE consumer_id = $1 FOR SHARE', revoke, changePassword);
    expect([status, conflicts]).toEqual([401, []]);
  });

  it.each(Array.from({ length: ROUNDS }, (_, round) => round))(
    'do not wait in a circle in any order (%i)',
    async (round) => {
      const patch = () => customer.patch('/api/v1/me', { firstName: 'Augusta' });
      const ends = round % 2 === 0 ? erase : revoke;
      const answers = Promise.all([changePassword(), patch(), patch(), changePassword()]);
      await sleep(round * 5);
      await ends();
      for (const { status } of await answers) expect(status).toBeLessThan(500);
      expect(conflicts).toEqual([]);
    },
  );
});
