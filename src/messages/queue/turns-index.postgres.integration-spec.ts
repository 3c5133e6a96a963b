import { setTimeout as sleep } from 'node:timers/promises';
import type { QueryRunner } from 'typeorm';
import { codeFor, enqueue, isEmpty } from '../../../test/support/in-process/queued-messages';
import { TestApp } from '../../../test/support/in-process/test-app';
import { until } from '../../../test/support/until';
import { MessageDeliveries } from './message-deliveries';
import { MessageRepository } from './message.repository';

const ADD_MANY = `
  INSERT INTO message (id, channel, kind, sealed, key, touchpoint, priority, due_at)
  SELECT gen_random_uuid(), 'sms', 'verification-code', '', '', n % 3, 0, now() + (n % 2) * interval '1 hour'
  FROM generate_series(1, 20000) n`;

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  Plans?: PlanNode[];
}

/** By what a plan finds its messages. */
function waysOf(node: PlanNode): string[] {
  const own = node['Relation Name'] === 'message' && node['Node Type'] !== 'ModifyTable';
  const ways = (node.Plans ?? []).flatMap(waysOf);
  return own ? [node['Index Name'] ?? node['Node Type'], ...ways] : ways;
}

// Only on PostgreSQL: the embedded database has one session, so nobody can hold a lock beside it.
describe('the index by which messages are taken', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.start();
  });
  afterAll(() => app.close());

  async function inTransaction(work: (runner: QueryRunner) => Promise<void>): Promise<void> {
    const runner = app.dataSource.createQueryRunner();
    await runner.startTransaction();
    await work(runner).finally(() => runner.rollbackTransaction());
    await runner.release();
  }

  it.each(['', 'ANALYZE message'])(
    'is used while many messages wait, with statistics or without: %j',
    async (gather) => {
      const query = jest.spyOn(app.dataSource, 'query');
      await app.nest.get(MessageRepository).take('sms', 5, ['1']);
      const [text, values] = query.mock.calls.find(([sent]) => sent.includes('SKIP LOCKED')) ?? [''];
      query.mockRestore();
      await inTransaction(async (runner) => {
        await runner.query(ADD_MANY);
        if (gather !== '') await runner.query(gather);
        const [row] = (await runner.query(`EXPLAIN (FORMAT JSON) ${text}`, values)) as [
          { 'QUERY PLAN': [{ Plan: PlanNode }] },
        ];
        const ways = new Set(waysOf(row['QUERY PLAN'][0].Plan));
        expect([...ways].sort()).toEqual(['message_pkey', 'message_turns_idx']);
      });
    },
  );

  it('holds up neither the start of a service nor messages while others add theirs', async () => {
    await inTransaction(async (other) => {
      await other.query(ADD_MANY);
      const replica = await TestApp.start({ replicaOf: app });
      for (let sent = 0; sent < 12; sent += 1) {
        await enqueue(app, codeFor('ada@example.com'));
        await sleep(100);
      }
      await until(isEmpty(app));
      await replica.close();
    });
  }, 60_000);

  it('leads past messages that somebody else has locked, to those that are free', async () => {
    await app.nest.get(MessageDeliveries).beforeApplicationShutdown();
    await enqueue(app, ...Array.from({ length: 10 }, () => codeFor('ada@example.com')));
    const take = async () => (await app.nest.get(MessageRepository).take('email', 10, [])).map(({ id }) => id);
    let locked: string[] = [];
    let taken: string[] = [];
    await inTransaction(async (other) => {
      const rows = (await other.query('SELECT id FROM message ORDER BY id LIMIT 5 FOR UPDATE')) as { id: string }[];
      locked = rows.map(({ id }) => id);
      taken = await take();
    });
    expect(taken.filter((id) => !locked.includes(id))).toHaveLength(5);
    expect(taken).toHaveLength(5);
    expect((await take()).sort()).toEqual(locked.sort());
  });
});
