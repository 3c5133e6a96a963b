import { Webhook } from 'standardwebhooks';
import {
  CODE,
  codeFor,
  enqueue,
  GATEWAY_SECRET,
  isEmpty,
  listed,
  retrySoon,
} from '../../test/support/in-process/queued-messages';
import { TestApp } from '../../test/support/in-process/test-app';
import { SmsGateway } from '../../test/support/messages/sms-gateway';
import { until } from '../../test/support/until';

describe('messages by SMS', () => {
  let gateway: SmsGateway;
  let app: TestApp;

  beforeAll(async () => {
    gateway = await SmsGateway.start();
    app = await TestApp.start({ env: { SMS_GATEWAY_URL: gateway.url, SMS_GATEWAY_SECRET: GATEWAY_SECRET } });
    retrySoon(app);
  });
  beforeEach(() => {
    gateway.answer = 202;
    gateway.requests.length = 0;
  });
  afterEach(async () => {
    await app.dataSource.query('DELETE FROM message');
  });
  afterAll(async () => {
    await app.close();
    gateway.close();
  });

  it('are signed as Standard Webhooks say', async () => {
    await enqueue(app, codeFor('+4915112345678', { locale: 'fr' }));
    await until(isEmpty(app));
    expect(gateway.requests).toHaveLength(1);
    const { headers, body } = gateway.requests[0] ?? { headers: {}, body: '' };
    const verified = new Webhook(GATEWAY_SECRET).verify(body, headers as Record<string, string>);
    expect(verified).toEqual({
      id: headers['webhook-id'],
      to: '+4915112345678',
      text: expect.stringContaining(CODE) as string,
      kind: 'verification-code',
      locale: 'fr',
    });
  });

  it('wait for a gateway that answers 500, 302, 401 or 429', async () => {
    const statuses = new Map([500, 302, 401, 429].map((status, index) => [`+491511234567${index}`, status]));
    for (const [to, status] of statuses) gateway.answersTo.set(to, status);
    await enqueue(app, ...[...statuses.keys()].map((to) => codeFor(to)));
    await until(async () => (await listed(app)).every(({ attempts }) => attempts > 5));
    gateway.answersTo.clear();
    await until(isEmpty(app));
    expect(new Set(gateway.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(statuses.size);
    expect(await listed(app)).toEqual([]);
  });

  it('are given up when the gateway refuses them', async () => {
    gateway.answer = 422;
    await enqueue(app, codeFor('+4915112345678'));
    await until(isEmpty(app));
    expect(await listed(app, '+4915112345678')).toEqual([expect.objectContaining({ state: 'failed', attempts: 5 })]);
  });
});
