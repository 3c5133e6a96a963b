import { newPhone, register } from '../../support/api/consumers';
import { SubscriberClient } from '../../support/api/subscribers';
import { WebhookReceiver } from '../../support/events/webhook-receiver';
import { TestService } from '../../support/service/test-service';
import { until } from '../../support/until';

interface WebhookView {
  secret: string;
  acknowledged: string;
  behind: number;
  webhook: { url: string; failures: number; reason: string | null; disabledAt: string | null } | null;
}

describe('a webhook', () => {
  let app: TestService;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    app = await TestService.start({ env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  });
  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
  });
  afterEach(async () => {
    receiver.close();
    // Another receiver could come to listen at the same port.
    await app.query('DELETE FROM webhook');
  });

  const set = (code: string, url = receiver.url) =>
    app.administer<WebhookView>('subscriber', 'webhook', 'set', code, '--url', url);
  const show = (code: string) => app.administer<WebhookView>('subscriber', 'show', code);
  /** Makes the next attempt due now. */
  const hurry = () => app.query('UPDATE webhook SET due_at = now() WHERE failures > 0');

  it('gets each event once, in order and signed, and is then acknowledged', async () => {
    const { code } = await SubscriberClient.create(app);
    const { secret } = await set(code);
    const client = await app.client();
    const consumers: string[] = [];
    for (let count = 0; count < 5; count += 1) consumers.push((await register(client)).customerId);
    await until(() => receiver.received.length === 5);
    expect(receiver.received.map(({ event }) => event.subject)).toEqual(consumers);
    for (const each of receiver.received) {
      expect(receiver.signers(each, [secret])).toEqual([secret]);
      expect(each.headers['webhook-id']).toBe(each.event.id);
      expect(each.headers['content-type']).toBe('application/cloudevents+json');
      expect(Math.abs(Date.now() / 1000 - Number(each.headers['webhook-timestamp']))).toBeLessThan(120);
    }
    const last = receiver.received.at(-1)?.event.position;
    await until(async () => (await show(code)).acknowledged === last);
    expect(await show(code)).toMatchObject({
      behind: 0,
      webhook: { url: receiver.url, failures: 0, disabledAt: null },
    });
  });

  it('holds names of fields, and nothing of what a consumer has written', async () => {
    const { code } = await SubscriberClient.create(app);
    await set(code);
    const client = await app.client();
    const phone = newPhone();
    const { token, email } = await register(client, { firstName: 'Canary', phone });
    const attributes = { tier: 'canary' };
    await client.as(token).patch('/api/v1/me', { lastName: 'Canaryson', attributes, phone: null });
    await app.administer('consumer', 'erase', email, '--yes');
    await until(() => receiver.received.length === 4);
    const everything = JSON.stringify(receiver.received);
    expect(everything).toContain('lastName');
    for (const canary of ['canary', 'Canary', email, phone]) expect(everything).not.toContain(canary);
  });

  it('gets the same event again until it takes it, and no later one before; follows no redirect', async () => {
    const { code } = await SubscriberClient.create(app);
    await set(code);
    const client = await app.client();
    receiver.status = 500;
    const [first, second] = [await register(client), await register(client)];
    await until(() => receiver.received.length === 1);
    await until(async () => (await show(code)).webhook?.reason === 'HTTP 500');
    receiver.status = 302;
    await hurry();
    await until(async () => (await show(code)).webhook?.reason === 'HTTP 302');
    receiver.status = 200;
    await hurry();
    await until(() => receiver.received.length === 4);
    const { customerId } = first;
    expect(receiver.received.map(({ event }) => event.subject)).toEqual([
      ...[customerId, customerId, customerId],
      second.customerId,
    ]);
    expect(new Set(receiver.received.slice(0, 3).map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it('loses nothing, and keeps the order, while the receiver is down and while it hangs', async () => {
    const { code } = await SubscriberClient.create(app);
    await set(code);
    const client = await app.client();
    receiver.status = null;
    const consumers = [(await register(client)).customerId];
    await until(async () => (await show(code)).webhook?.reason === 'no answer in 15 s');
    await receiver.pause();
    consumers.push((await register(client)).customerId);
    await hurry();
    await until(async () => (await show(code)).webhook?.reason === 'ECONNREFUSED');
    receiver.status = 204;
    await receiver.resume();
    await hurry();
    await until(() => receiver.received.length === 3);
    expect(receiver.received.map(({ event }) => event.subject)).toEqual([consumers[0], ...consumers]);
  }, 120_000);

  it('obeys an administrator who rewinds or disables its subscriber while an event is under way', async () => {
    const { code } = await SubscriberClient.create(app);
    const begin = (await set(code)).acknowledged;
    const client = await app.client();
    const { customerId: first } = await register(client);
    await until(async () => BigInt((await show(code)).acknowledged) > BigInt(begin));
    receiver.status = null;
    const { customerId: second } = await register(client);
    await until(() => receiver.received.length === 2);
    await app.administer('subscriber', 'rewind', code, '--to', begin);
    receiver.answer(204);
    await until(() => receiver.received.length === 4);

    receiver.status = null;
    const { customerId: third } = await register(client);
    const { customerId: fourth } = await register(client);
    await until(() => receiver.received.length === 5);
    await app.administer('subscriber', 'disable', code);
    receiver.answer(204);
    await app.administer('subscriber', 'enable', code);
    await until(() => receiver.received.length === 7);
    const told = receiver.received.map(({ event }) => event.subject);
    expect(told).toEqual([first, second, first, second, third, third, fourth]);
  });

  it('fails in a row only while nothing is taken', async () => {
    const { code } = await SubscriberClient.create(app);
    receiver.status = 500;
    await set(code);
    const client = await app.client();
    const { customerId } = await register(client);
    await register(client);
    await until(async () => (await show(code)).webhook?.failures === 1);
    await app.query(
      `UPDATE webhook SET failures = 9, failing_since = failing_since - interval '6 days' WHERE failures > 0`,
    );
    receiver.status = null;
    await hurry();
    await until(() => receiver.received.length === 2);
    receiver.answer(204);
    receiver.status = 500;
    await until(async () => (await show(code)).webhook?.failures === 1);
    expect((await show(code)).webhook?.disabledAt).toBeNull();
    expect(receiver.received.map(({ event }) => event.subject).slice(0, 2)).toEqual([customerId, customerId]);
  });

  it('says so rather than skip events that are no longer kept', async () => {
    const { code } = await SubscriberClient.create(app);
    receiver.status = 500;
    await set(code);
    await register(await app.client());
    await until(async () => (await show(code)).webhook?.reason === 'HTTP 500');
    await app.query('UPDATE event_head SET floor = position');
    receiver.status = 204;
    await hurry();
    await until(async () => (await show(code)).webhook?.reason?.includes('no longer kept') ?? false);
    expect(receiver.received).toHaveLength(1);
  });

  it('is signed by both secrets while one is rotated', async () => {
    const { code } = await SubscriberClient.create(app);
    const rotate = (overlap: string) =>
      app.administer<WebhookView>('subscriber', 'webhook', 'rotate-secret', code, '--overlap', overlap);
    const { secret: first } = await set(code);
    const { secret: second } = await rotate('1h');
    const client = await app.client();
    await register(client);
    await until(() => receiver.received.length === 1);
    const { secret: third } = await rotate('0');
    await register(client);
    await until(() => receiver.received.length === 2);
    const secrets = [first, second, third];
    expect(receiver.received.map((each) => receiver.signers(each, secrets))).toEqual([[first, second], [third]]);
    const stored = await app.query<{ text: string }>('SELECT w::text AS text FROM webhook w');
    for (const secret of secrets) expect(JSON.stringify(stored)).not.toContain(secret.slice(6));
  });

  it('is disabled after five days of failures, and enabled by setting it again', async () => {
    const { code } = await SubscriberClient.create(app);
    await set(code);
    receiver.status = 503;
    const { customerId } = await register(await app.client());
    await until(async () => (await show(code)).webhook?.failures === 1);
    await app.query(`UPDATE webhook SET failing_since = failing_since - interval '5 days' WHERE failures > 0`);
    await hurry();
    await until(async () => typeof (await show(code)).webhook?.disabledAt === 'string');
    const audited = await app.administer<{ type: string }[]>('audit', 'list', '--limit', '50');
    expect(audited.map(({ type }) => type)).toContain('subscriber.webhook-disabled');
    receiver.status = 204;
    await set(code);
    await until(() => receiver.received.some(({ event }, index) => index >= 2 && event.subject === customerId));
  });

  it('can be tested, and removed', async () => {
    const { code } = await SubscriberClient.create(app);
    const none = await app.cli('subscriber', 'webhook', 'test', code);
    expect([none.exitCode, none.stderr]).toEqual([1, `${code} has no webhook\n`]);
    await set(code);
    expect(await app.administer('subscriber', 'webhook', 'test', code)).toEqual({ taken: true });
    expect(receiver.received).toHaveLength(1);
    receiver.status = 410;
    const refused = await app.cli('subscriber', 'webhook', 'test', code);
    expect([refused.exitCode, refused.stderr]).toEqual([1, 'The event was not taken: HTTP 410\n']);
    const inJson = await app.cli('subscriber', 'webhook', 'test', code, '--json');
    expect([inJson.exitCode, inJson.stdout]).toEqual([1, '']);
    expect(JSON.parse(inJson.stderr)).toEqual({ error: 'The event was not taken: HTTP 410' });
    receiver.status = 101;
    const switched = await app.cli('subscriber', 'webhook', 'test', code);
    expect([switched.exitCode, switched.stderr]).toEqual([1, 'The event was not taken: HTTP 101\n']);
    expect((await app.administer<WebhookView>('subscriber', 'webhook', 'remove', code)).webhook).toBeNull();
  });

  it('goes to no private address, unless that is allowed', async () => {
    const { code } = await SubscriberClient.create(app);
    const careful = { WEBHOOK_ALLOW_PRIVATE: 'false' };
    const refusalOf = async (url: string) =>
      (await app.cliWith(careful, 'subscriber', 'webhook', 'set', code, '--url', url)).stderr;
    for (const url of ['https://10.0.0.1/', 'https://[fd00::1]/', 'https://169.254.169.254/latest']) {
      expect(await refusalOf(url)).toBe('--url is a private address: WEBHOOK_ALLOW_PRIVATE=true allows them\n');
    }
    expect(await refusalOf('http://example.com/')).toMatch(/^--url must be an https:\/\/ address/);
    // One that was set before.
    await set(code, 'https://10.0.0.1/');
    const test = await app.cliWith(careful, 'subscriber', 'webhook', 'test', code);
    expect([test.exitCode, test.stderr]).toEqual([1, 'The event was not taken: 10.0.0.1 is a private address\n']);
    // For development.
    await set(code, receiver.url.replace('127.0.0.1', 'localhost'));
    expect((await app.cliWith(careful, 'subscriber', 'webhook', 'test', code)).exitCode).toBe(0);
    expect(receiver.received).toHaveLength(1);
  });
});
