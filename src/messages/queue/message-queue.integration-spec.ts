import { setTimeout as sleep } from 'node:timers/promises';
import { Restarts } from '../../../test/support/in-process/restarts';
import { TcpProxy } from '../../../test/support/faults/tcp-proxy';
import {
  CODE,
  codeFor,
  enqueue,
  GATEWAY_SECRET,
  isEmpty,
  listed,
  queueText,
  retrySoon,
} from '../../../test/support/in-process/queued-messages';
import { TestApp } from '../../../test/support/in-process/test-app';
import { createTestDatabase } from '../../../test/support/service/database/test-database';
import { SmsGateway } from '../../../test/support/messages/sms-gateway';
import { SmtpSink } from '../../../test/support/messages/smtp-sink';
import { until } from '../../../test/support/until';
import { ExpiredRows } from '../../platform/jobs/expired-rows';
import { Messages } from '../messages.service';
import { MessageRepository, type TakenMessage } from './message.repository';

/** Some things can happen only to a server of its own. */
const SERVER_URL = process.env.TEST_DATABASE_URL ?? '';
const onPostgres: (name: string, test: () => Promise<void>) => void = SERVER_URL === '' ? () => undefined : it;

describe('messages in the queue', () => {
  let sink: SmtpSink;
  let gateway: SmsGateway;
  let app: TestApp;

  beforeAll(async () => {
    sink = await SmtpSink.start();
    gateway = await SmsGateway.start();
    app = await TestApp.start({
      env: {
        SMTP_URL: sink.url,
        MAIL_FROM: 'service@example.com',
        SMS_GATEWAY_URL: gateway.url,
        SMS_GATEWAY_SECRET: GATEWAY_SECRET,
        APP_SECRET: 'a secret that every replica of this test knows',
      },
    });
    retrySoon(app);
  });
  afterEach(async () => {
    await app.dataSource.query('DELETE FROM message');
    gateway.answer = 202;
  });
  afterAll(async () => {
    await app.close();
    await sink.close();
    gateway.close();
  });

  it('stand in the queue neither with their code nor with their address', async () => {
    gateway.answer = 500;
    await sink.close();
    await enqueue(app, codeFor('ada@example.com'), codeFor('+4915112345678'));
    await until(async () => (await listed(app)).every(({ attempts }) => attempts > 0));
    const stored = await queueText(app);
    await sink.open();
    expect(stored).toContain('verification-code');
    for (const secret of [CODE, 'ada@', 'example.com', '4915112345678']) expect(stored).not.toContain(secret);
  });

  it('are settled by nobody whose lease another process has taken over, but for what was handed over', async () => {
    await app.dataSource.transaction(async (manager) => {
      await app.nest.get(Messages).enqueue(manager, codeFor('+4915112345678'));
      await manager.query(
        `UPDATE message SET state = 'sending', attempts = 2, due_at = now() + interval '1 minute' WHERE state = 'queued'`,
      );
    });
    const messages = app.nest.get(MessageRepository);
    const { manager } = app.dataSource;
    const [{ id } = { id: '' }] = await listed(app);
    const late = { id, attempts: 1 } as TakenMessage;
    await messages.retry(late, 1, 'late');
    expect(await messages.end(manager, late, 'failed', 'late')).toBe(false);
    expect(await listed(app)).toMatchObject([{ id, state: 'sending', attempts: 2 }]);
    await messages.remove(id);
    expect(await listed(app)).toEqual([]);
  });

  it('are refused outside a transaction, which they could outlive', async () => {
    const { manager } = app.dataSource;
    await expect(app.nest.get(Messages).enqueue(manager, codeFor('ada@example.com'))).rejects.toThrow('transaction');
  });

  it('stay for 30 days when they were given up', async () => {
    gateway.answer = 422;
    await enqueue(app, codeFor('+4915112345678'));
    await until(isEmpty(app));
    const stay = async () => {
      const [row] = await app.dataSource.query<{ days: number }[]>(
        `SELECT round(extract(epoch FROM kept_until - now()) / 86400)::int AS days FROM message`,
      );
      return row?.days;
    };
    await app.nest.get(ExpiredRows).deleteAll();
    expect(await stay()).toBe(30);
    await app.dataSource.query(`UPDATE message SET kept_until = now() - interval '1 minute'`);
    await app.nest.get(ExpiredRows).deleteAll();
    expect(await stay()).toBeUndefined();
  });

  it('are shared by replicas, and sent once each', async () => {
    const replica = await TestApp.start({ replicaOf: app });
    try {
      const addresses = Array.from({ length: 40 }, (_, index) => `ada${index}@example.com`);
      // As many transactions at once as there are connections.
      await Promise.all(
        Array.from({ length: 20 }, (_, group) => {
          const some = addresses.slice(group * 2, (group + 1) * 2).map((to) => codeFor(to, { code: CODE }));
          return enqueue(group % 2 === 0 ? app : replica, ...some);
        }),
      );
      await until(isEmpty(app));
      const received = sink.received.flatMap(({ recipients }) => recipients).filter((to) => addresses.includes(to));
      expect(received.sort()).toEqual(addresses.sort());
    } finally {
      await replica.close();
    }
  });
});

describe('a service that sends messages', () => {
  let gateway: SmsGateway;
  let env: Record<string, string>;

  beforeEach(async () => {
    gateway = await SmsGateway.start();
    gateway.answer = 'hang';
    env = { SMS_GATEWAY_URL: gateway.url, SMS_GATEWAY_SECRET: GATEWAY_SECRET };
  });
  afterEach(() => {
    gateway.close();
  });

  it('finishes what it is sending before it stops', async () => {
    const place = await Restarts.create();
    const first = await place.start({ env });
    await enqueue(first, codeFor('+4915112345678'));
    await until(() => gateway.requests.length === 1);
    const closed = first.close();
    gateway.release(202);
    await closed;
    const second = await place.start({ env });
    expect(await listed(second)).toEqual([]);
    await second.close();
    await place.dispose();
  });

  onPostgres('sends nothing twice because the database was away for a moment', async () => {
    const database = await createTestDatabase(SERVER_URL);
    const url = new URL(database.url);
    const proxy = await TcpProxy.start({ host: url.hostname, port: Number(url.port) });
    url.port = String(proxy.port);
    const app = await TestApp.start({ env: { ...env, DATABASE_URL: url.href } });
    await enqueue(app, codeFor('+4915112345678'));
    await until(() => gateway.requests.length === 1);
    proxy.takeAway();
    gateway.release(202);
    await sleep(1_000);
    proxy.giveBack();
    await until(async () => (await listed(app).catch(() => [null])).length === 0);
    expect(gateway.requests).toHaveLength(1);
    await app.close();
    proxy.stop();
    await database.drop();
  });
});
