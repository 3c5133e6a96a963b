import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'typeorm';
import type { Message } from '../message';
import { MessageList } from '../message-list';
import { RetryPolicy } from './retry-policy';
import { ChannelProof } from '../../touchpoints/touchpoint.entity';
import { newPerson } from '../../../test/support/api/consumers';
import { FixedClock } from '../../../test/support/in-process/fixed-clock';
import { scrape, valueOf } from '../../../test/support/service/metrics';
import { SmsGateway } from '../../../test/support/messages/sms-gateway';
import { enqueue as enqueueIn, GATEWAY_SECRET } from '../../../test/support/in-process/queued-messages';
import { TestApp } from '../../../test/support/in-process/test-app';
import { until } from '../../../test/support/until';

/** How many a replica hands over at once. */
const AT_ONCE = 5;

let phones = 0;
const newPhone = () => {
  phones += 1;
  return `+4930${String(100_000 + phones)}`;
};
const codeBy = (touchpoint: string): Message => ({
  ...{ kind: 'verification-code', channel: 'sms', to: newPhone(), locale: null, touchpoint },
  ...{ code: '048213', expiresInMinutes: 10 },
});
const noticeBy = (touchpoint: string): Message & { kind: 'password-changed' } => ({
  ...{ kind: 'password-changed', channel: 'sms', to: newPhone(), locale: null, touchpoint },
});
const many = (count: number, touchpoint: string) => Array.from({ length: count }, () => codeBy(touchpoint));

describe('messages that wait', () => {
  const clock = new FixedClock();
  let gateway: SmsGateway;
  let app: TestApp;

  beforeAll(async () => {
    gateway = await SmsGateway.start();
    app = await TestApp.start({
      clock,
      env: {
        SMS_GATEWAY_URL: gateway.url,
        SMS_GATEWAY_SECRET: GATEWAY_SECRET,
        METRICS_PORT: '0',
      },
    });
    jest.spyOn(app.nest.get(RetryPolicy), 'nextDelaySeconds').mockReturnValue(0.2);
  });
  beforeEach(() => {
    gateway.answer = 'hang';
    gateway.requests.length = 0;
  });
  afterEach(async () => {
    await app.dataSource.query('DELETE FROM message');
  });
  afterAll(async () => {
    await app.close();
    gateway.close();
  });

  const enqueue = (...messages: Message[]) => enqueueIn(app, ...messages);
  const statesOf = async (to: string) =>
    (await app.nest.get(MessageList).list({ to })).map(({ state }) => state as string);
  const recipients = () => gateway.requests.map(({ body }) => (JSON.parse(body) as { to: string }).to);
  /** Every message that may be under way is, and the rest must wait until the gateway answers. */
  const occupied = () => until(() => gateway.requests.length === AT_ONCE);
  /** Answers one after the other, so that messages arrive in the order in which they were taken. */
  const answer = async (count: number) => {
    for (let arrived = AT_ONCE + 1; arrived <= count; arrived += 1) {
      gateway.release(202, 1);
      await until(() => gateway.requests.length === arrived);
    }
    gateway.release(202);
  };

  it("of one touchpoint do not hold up another's registration, however many they are", async () => {
    await enqueue(...many(40, 'busy'));
    await occupied();
    const quiet = await app.client({ channelProof: ChannelProof.Sms });
    const phone = newPhone();
    const { status } = await quiet.post('/api/v1/register', newPerson({ phone, password: undefined }));
    expect(status).toBe(202);
    await answer(41);
    expect(recipients().indexOf(phone)).toBeLessThan(2 * AT_ONCE);
  });

  it('leave by turns of their touchpoints', async () => {
    const touchpoints = ['a', 'b', 'c', 'd'];
    const batches = touchpoints.map((touchpoint) => many(10, touchpoint));
    await enqueue(...batches.flat());
    await occupied();
    await answer(40);
    const order = recipients().map(
      (phone) => touchpoints[batches.findIndex((batch) => batch.some(({ to }) => to === phone))],
    );
    // The first five arrive in any order, and five is more than a round.
    for (let start = 0; start < order.length; start += 2 * touchpoints.length) {
      const twoRounds = order.slice(start, start + 2 * touchpoints.length);
      expect(twoRounds.toSorted()).toEqual(['a', 'a', 'b', 'b', 'c', 'c', 'd', 'd']);
    }
  });

  it('go before codes when they are notices, of the same touchpoint or another', async () => {
    await enqueue(...many(20, 'a'), ...many(20, 'b'));
    await occupied();
    const notices: Message[] = [
      noticeBy('a'),
      { ...noticeBy('b'), kind: 'identity-linked', issuerName: 'id.example' },
      { ...noticeBy('c'), kind: 'identifier-changed', newDestinationMasked: null },
    ];
    await enqueue(...notices);
    await answer(43);
    for (const { to } of notices) expect(recipients().indexOf(to)).toBeLessThan(2 * AT_ONCE + 3);
  });

  it('of many notices by one touchpoint do not hold up the codes of another', async () => {
    await enqueue(...Array.from({ length: 40 }, () => noticeBy('a')));
    await occupied();
    const code = codeBy('b');
    await enqueue(code);
    await answer(41);
    expect(recipients().indexOf(code.to)).toBeLessThan(2 * AT_ONCE);
  });

  it('are not sent once their code has expired, and are dropped, recorded once, counted and listed', async () => {
    await enqueue(...many(AT_ONCE, 'a'));
    await occupied();
    const late = codeBy('shop');
    const notice = noticeBy('shop');
    await enqueue(late, notice);
    clock.advance({ minutes: 11 });
    const replica = await TestApp.start({ clock, replicaOf: app });
    await answer(AT_ONCE + 1);
    await until(async () => (await statesOf(late.to))[0] === 'expired');
    await replica.close();
    expect(recipients()).toContain(notice.to);
    expect(recipients()).not.toContain(late.to);
    const events = await app.dataSource.query<unknown[]>(
      `SELECT details->>'kind' AS kind, outcome FROM audit_event WHERE type = 'message.expired' AND touchpoint = 'shop'`,
    );
    expect(events).toEqual([{ kind: 'verification-code', outcome: 'failed' }]);
  });

  it('are not tried again once their code has expired', async () => {
    gateway.answer = 500;
    const code = codeBy('shop');
    await enqueue(code);
    await until(() => gateway.requests.length > 1);
    const count = async () =>
      valueOf((await scrape(app.metricsAddress)).samples, 'consumer_service_messages_expired_total', {
        channel: 'sms',
      }) ?? 0;
    const before = await count();
    clock.advance({ minutes: 11 });
    await until(async () => (await statesOf(code.to))[0] === 'expired');
    expect((await count()) - before).toBe(1);
    const tries = gateway.requests.length;
    gateway.answer = 202;
    await sleep(1_500);
    expect(gateway.requests).toHaveLength(tries);
  });

  it('are found by a few entries of an index, however many there are', async () => {
    let taking: [text: string, values: unknown[]] | undefined;
    const ignore = () => undefined;
    const logger: Logger = {
      ...{ logQueryError: ignore, logQuerySlow: ignore, logSchemaBuild: ignore, logMigration: ignore, log: ignore },
      logQuery: (text, values) => {
        if (text.includes('SKIP LOCKED') && Array.isArray(values) && values[0] === 'sms') {
          taking = [text, values];
        }
      },
    };
    app.dataSource.logger = logger;
    await until(() => taking !== undefined);
    const runner = app.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query(
      `INSERT INTO message (id, channel, kind, sealed, key, touchpoint, priority, due_at)
       SELECT gen_random_uuid(), 'sms', 'verification-code', '', '', n % 3, 0,
         now() - n * interval '1 ms' + (n % 2) * interval '1 hour'
       FROM generate_series(1, 20000) n`,
    );
    await runner.query('ANALYZE message');
    const [text, values] = taking ?? ['', []];
    const [row] = (await runner.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values)) as [
      { 'QUERY PLAN': [{ Plan: PlanNode }] },
    ];
    await runner.rollbackTransaction();
    await runner.release();
    expect(rowsRead(row['QUERY PLAN'][0].Plan)).toBeLessThan(500);
  });
});

interface PlanNode {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

/** How many rows a plan has read of tables. */
function rowsRead(node: PlanNode): number {
  const rows = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
  const own = node['Relation Name'] === undefined ? 0 : rows;
  return (node.Plans ?? []).reduce((sum, child) => sum + rowsRead(child), own);
}
