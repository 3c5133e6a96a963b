import { randomInt } from 'node:crypto';
import type { ApiClient } from '../../support/api/api-client';
import { newPerson, newPhone, PASSWORD, register, type SessionBody } from '../../support/api/consumers';
import { logIn } from '../../support/api/traceable-person';
import { codeSentTo } from '../../support/messages/mailbox';
import { scrape, valueOf } from '../../support/service/metrics';
import { TestService } from '../../support/service/test-service';
import { until } from '../../support/until';

const PER_CONSUMER = 10;
const PER_CONSUMER_IP = 30;
const PER_TOUCHPOINT = 30_000;
const PER_CALLING_CODE = 1_000;

describe('what can be sent', () => {
  let app: TestService;
  let client: ApiClient;

  beforeAll(async () => {
    app = await TestService.withStoppedClock();
  });
  beforeEach(async () => {
    client = await app.client({ channelProof: 'EMAIL' });
  });

  const begin = (from: ApiClient, fields: Record<string, unknown> = {}) =>
    from.post<{ code?: string; registrationId: string }>('/api/v1/register', newPerson(fields));
  const from = (address: string, touchpoint = client) => touchpoint.with({ 'X-Consumer-IP': address });
  const idOf = async (touchpoint: ApiClient) => {
    const code = touchpoint.headers['X-Touchpoint-Code'];
    const [row] = await app.query<{ id: string }>('SELECT id FROM touchpoint WHERE code = $1', [code]);
    return row?.id;
  };
  const setUsed = (key: string, used: number) =>
    app.query('UPDATE send_allowance SET used = $2 WHERE key = $1', [key, used]);
  const usedOf = async (key: string) => {
    const [row] = await app.query<{ used: number }>('SELECT used FROM send_allowance WHERE key = $1', [key]);
    return row?.used;
  };
  const expectRefusal = (answer: Awaited<ReturnType<typeof begin>>, retryAfterSeconds: number) => {
    expect([answer.status, answer.body.code]).toEqual([429, 'RESEND_TOO_SOON']);
    expect(answer.headers.get('retry-after')).toBe(String(retryAfterSeconds));
  };

  it('does not grow by the tags of an e-mail address, each of which stays an identity of its own', async () => {
    const [local = ''] = newPerson().email.split('@');
    const tagged = (tag: string) => ({ email: `${local}${tag}@example.com` });
    const first = await begin(client, tagged('+0'));
    expect(first.status).toBe(202);
    expectRefusal(await begin(client, tagged('+1')), 60);
    expectRefusal(await begin(await app.client({ channelProof: 'EMAIL' }), tagged('')), 60);
    for (let send = 1; send < 5; send += 1) {
      await app.clock.advance({ minutes: 1 });
      expect((await begin(client, tagged(`+${send}+x`))).status).toBe(202);
    }
    await app.clock.advance({ minutes: 1 });
    expectRefusal(await begin(client, tagged('+5')), 55 * 60);

    const code = await codeSentTo(app, `${local}+0@example.com`);
    const completion = { registrationId: first.body.registrationId, code, password: PASSWORD };
    const { status, body } = await client.post<SessionBody>('/api/v1/register/complete', completion);
    expect(status).toBe(201);
    expect((await client.as(body.token).get('/api/v1/me')).body.email).toBe(`${local}+0@example.com`);
  });

  it('is ten codes an hour for one consumer, whatever addresses the consumer names', async () => {
    const instant = await app.client();
    let { email, token } = await register(instant);
    const request = async () => {
      const me = instant.as(token);
      ({ email } = newPerson());
      await me.patch('/api/v1/me', { email });
      return me.post<{ code?: string; registrationId: string }>('/api/v1/verifications/email/request');
    };
    for (let send = 0; send < PER_CONSUMER; send += 1) expect((await request()).status).toBe(202);
    await app.clock.advance({ minutes: 20 });
    expectRefusal(await request(), 40 * 60);
    const other = await register(instant);
    expect((await instant.as(other.token).post('/api/v1/verifications/email/request')).status).toBe(202);
    await app.clock.advance({ minutes: 40 });
    ({ token } = (await logIn(instant, email)).body);
    expect((await request()).status).toBe(202);
  });

  it('is thirty codes an hour for one network address at a touchpoint, also when they are asked for at once', async () => {
    const asked = Array.from({ length: PER_CONSUMER_IP + 10 }, () => begin(from('203.0.113.1')));
    const statuses = (await Promise.all(asked)).map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array<number>(PER_CONSUMER_IP).fill(202), ...Array<number>(10).fill(429)]);
    expectRefusal(await begin(from('203.0.113.1')), 3600);
    expect((await begin(from('203.0.113.2'))).status).toBe(202);
    expect((await begin(client)).status).toBe(202);
    const other = await app.client({ channelProof: 'EMAIL' });
    expect((await begin(from('203.0.113.1', other))).status).toBe(202);
    await app.clock.advance({ minutes: 60 });
    expect((await begin(from('203.0.113.1'))).status).toBe(202);
  });

  it('is bounded for a touchpoint, and one that has used up its own takes nothing from another', async () => {
    const key = `touchpoint:${await idOf(client)}`;
    await begin(client);
    await setUsed(key, PER_TOUCHPOINT - 1);
    expect((await begin(client)).status).toBe(202);
    expectRefusal(await begin(client), 3600);
    expect((await begin(await app.client({ channelProof: 'EMAIL' }))).status).toBe(202);
  });

  it('is bounded for the numbers of a calling code, and others are still sent to', async () => {
    const sms = await app.client({ channelProof: 'SMS' });
    await begin(sms, { phone: newPhone() });
    await setUsed(`calling-code:${await idOf(sms)}:1`, PER_CALLING_CODE);
    expectRefusal(await begin(sms, { phone: newPhone() }), 3600);
    expect((await begin(sms, { phone: `+4930${randomInt(2_000_000, 9_999_999)}` })).status).toBe(202);
  });

  it('is not used up by what another bound refuses', async () => {
    const key = `touchpoint:${await idOf(client)}`;
    for (let send = 0; send < PER_CONSUMER_IP; send += 1) await begin(from('203.0.113.3'));
    expect(await usedOf(key)).toBe(PER_CONSUMER_IP);
    const { email } = newPerson();
    expectRefusal(await begin(from('203.0.113.3'), { email }), 3600);
    expect(await usedOf(key)).toBe(PER_CONSUMER_IP);
    expect((await begin(from('203.0.113.4'), { email })).status).toBe(202);
    expectRefusal(await begin(from('203.0.113.4'), { email }), 60);
    expectRefusal(await begin(from('203.0.113.3'), { email }), 60);
    expect(await usedOf(key)).toBe(PER_CONSUMER_IP + 1);
  });

  it('says in the audit trail and in a metric which bound refused', async () => {
    const { email } = newPerson();
    const count = async () =>
      valueOf((await scrape(app.metricsAddress)).samples, 'consumer_service_sends_refused_total', {
        bound: 'destination',
      }) ?? NaN;
    const before = await count();
    await begin(client, { email });
    await begin(client, { email });
    expect(await count()).toBe(before + 1);
    const touchpoint = client.headers['X-Touchpoint-Code'];
    const rows = await until(async () => {
      const written = await app.query<object>(
        `SELECT reason FROM audit_event WHERE touchpoint = $1 AND type = 'request.refused'`,
        [touchpoint],
      );
      return written.length > 0 && written;
    });
    expect(rows).toEqual([{ reason: 'bound reached: destination' }]);
  });
});
