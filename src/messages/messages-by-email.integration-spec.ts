import { SmtpSink } from '../../test/support/messages/smtp-sink';
import {
  CODE,
  codeFor,
  enqueue,
  isEmpty,
  listed,
  queueText,
  retrySoon,
} from '../../test/support/in-process/queued-messages';
import { TestApp } from '../../test/support/in-process/test-app';
import { until } from '../../test/support/until';
import { Messages } from './messages.service';

describe('messages by e-mail', () => {
  let sink: SmtpSink;
  let app: TestApp;

  beforeAll(async () => {
    sink = await SmtpSink.start();
    app = await TestApp.start({
      env: { SMTP_URL: sink.url, MAIL_FROM: 'Consumer Service <service@example.com>' },
    });
    retrySoon(app);
  });
  beforeEach(() => {
    sink.behaviour = 'accept';
    sink.received.length = 0;
  });
  afterEach(async () => {
    await app.dataSource.query('DELETE FROM message');
  });
  afterAll(async () => {
    await app.close();
    await sink.close();
  });

  it('have one recipient, the code, and nothing left in the queue', async () => {
    await enqueue(app, codeFor('ada@example.com', { locale: 'de-AT' }));
    await until(isEmpty(app));
    expect(sink.received).toHaveLength(1);
    const [{ from, recipients, raw } = { from: '', recipients: [], raw: '' }] = sink.received;
    expect({ from, recipients }).toEqual({ from: 'service@example.com', recipients: ['ada@example.com'] });
    expect(raw).toMatch(/^From: Consumer Service <service@example\.com>\r$/m);
    expect(raw).toMatch(/^To: ada@example\.com\r$/m);
    expect(raw).toMatch(/^Content-Language: de\r$/m);
    expect(raw.match(/[0-9]{6,}/g)).toEqual([CODE, CODE]);
    expect(JSON.parse(await queueText(app))).toEqual([]);
  });

  it('are not sent for what was rolled back', async () => {
    const refused = app.dataSource.transaction(async (manager) => {
      await app.nest.get(Messages).enqueue(manager, codeFor('nobody@example.com'));
      throw new Error('rolled back');
    });
    await expect(refused).rejects.toThrow('rolled back');
    await enqueue(app, codeFor('ada@example.com'));
    await until(isEmpty(app));
    expect(sink.received.map(({ recipients }) => recipients)).toEqual([['ada@example.com']]);
  });

  it('wait for a server that is down, and then arrive once each', async () => {
    const addresses = Array.from({ length: 20 }, (_, index) => `ada${index}@example.com`);
    await sink.close();
    await enqueue(app, ...addresses.map((to) => codeFor(to)));
    await until(async () => (await listed(app)).every(({ attempts }) => attempts > 0));
    await sink.open();
    await until(isEmpty(app));
    expect(sink.received.flatMap(({ recipients }) => recipients).sort()).toEqual(addresses.sort());
  });

  it('wait for a server that is busy', async () => {
    await sink.close();
    sink.behaviour = 'busy';
    await sink.open();
    await enqueue(app, codeFor('ada@example.com'));
    await until(async () => (await listed(app)).some(({ attempts }) => attempts > 6));
    sink.behaviour = 'accept';
    await until(isEmpty(app));
    expect(sink.received).toHaveLength(1);
  });

  it('are given up after some tries when the recipient is refused, listed as failed and recorded', async () => {
    sink.behaviour = 'refuse-recipient';
    await enqueue(app, codeFor('unknown@example.com'));
    await until(isEmpty(app));
    const failed = { to: 'unknown@example.com', state: 'failed', attempts: 5, nextAttemptAt: null, code: null };
    expect(await listed(app)).toEqual([expect.objectContaining(failed)]);
    const events = await app.dataSource.query<unknown[]>(
      `SELECT details FROM audit_event WHERE type = 'message.given-up'`,
    );
    expect(events).toEqual([
      {
        details: expect.objectContaining({
          kind: 'verification-code',
          messageId: expect.any(String) as string,
        }) as object,
      },
    ]);
    expect(await queueText(app)).not.toContain('unknown@');
  });

  it('are the same when they are sent again, and can be recognised', async () => {
    sink.behaviour = 'break';
    await enqueue(app, codeFor('ada@example.com'));
    await until(() => sink.received.length > 0);
    sink.behaviour = 'accept';
    await until(isEmpty(app));
    const [first, second] = sink.received.map(({ raw }) => raw.replace(/^Date: .*$/m, ''));
    expect(second).toBe(first);
  });

  it('are sent by somebody else when the process that had them has died', async () => {
    await sink.close();
    await enqueue(app, codeFor('ada@example.com'));
    await until(async () => (await listed(app)).every(({ state }) => state === 'retrying'));
    // As it stands a minute after a process has taken it.
    await sink.open();
    await app.dataSource.query(`UPDATE message SET state = 'sending', due_at = now() WHERE state = 'retrying'`);
    await until(isEmpty(app));
    expect(sink.received).toHaveLength(1);
  });

  it.each([
    'ada@example.com\r\nBcc: eve@example.com',
    'ada@example.com, eve@example.com',
    '"ada, eve@example.com" <ada@example.com>',
    'eve@example.com:ada@example.com;',
    'ada@example.com\u0000',
  ])('are refused for %j', async (to) => {
    await expect(enqueue(app, { ...codeFor('a@b.c'), to })).rejects.toThrow('wrong email address');
  });
});
