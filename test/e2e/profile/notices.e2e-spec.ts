import type { ApiClient } from '../../support/api/api-client';
import { newPerson, newPhone, PASSWORD, register } from '../../support/api/consumers';
import { logIn } from '../../support/api/traceable-person';
import { codeSentTo } from '../../support/messages/mailbox';
import { scrape, valueOf } from '../../support/service/metrics';
import { TestService } from '../../support/service/test-service';

const NOTICES_AN_HOUR = 10;

describe('notices to owners', () => {
  let app: TestService;
  let client: ApiClient;

  beforeAll(async () => {
    app = await TestService.withStoppedClock();
    client = await app.client();
  });

  /** The kinds of all messages to an address, those that wait included; one that is just leaving is listed twice. */
  const sentTo = async (to: string) => {
    const listed = await app.administer<{ id: string; kind: string }[]>('message', 'list', '--to', to);
    return [...new Map(listed.map(({ id, kind }) => [id, kind])).values()];
  };
  const noticesTo = async (to: string, kind = 'password-changed') =>
    (await sentTo(to)).filter((sent) => sent === kind).length;
  const changePassword = async (me: ApiClient, times: number) => {
    for (let change = 0; change < times; change += 1) {
      const passwords = { currentPassword: PASSWORD, newPassword: PASSWORD };
      expect((await me.post('/api/v1/password/change', passwords)).status).toBe(204);
    }
  };
  const prove = async (me: ApiClient, channel: 'email' | 'sms', address: string) => {
    expect((await me.post(`/api/v1/verifications/${channel}/request`)).status).toBe(202);
    const code = await codeSentTo(app, address);
    expect((await me.post(`/api/v1/verifications/${channel}/confirm`, { code })).status).toBe(200);
  };
  const newOwner = async () => {
    const { token, email, customerId } = await register(client);
    const me = client.as(token);
    await prove(me, 'email', email);
    return { me, email, customerId };
  };
  const drops = (customerId: string) =>
    app.query<object>(
      `SELECT outcome, actor, touchpoint, details FROM audit_event WHERE consumer_id = $1 AND type = 'notice.dropped'`,
      [customerId],
    );

  it('never reach a stranger whose e-mail address and phone number somebody else claims', async () => {
    const phone = newPhone();
    const { token, email, customerId } = await register(client, { phone });
    await changePassword(client.as(token), 8);
    await client.as(token).patch('/api/v1/me', { email: null });
    expect([await sentTo(email), await sentTo(phone), await drops(customerId)]).toEqual([[], [], []]);
  });

  it('go to every proven address, and leave out a claimed one', async () => {
    const { me, email } = await newOwner();
    const phone = newPhone();
    await me.patch('/api/v1/me', { phone });
    await changePassword(me, 1);
    expect([await noticesTo(email), await noticesTo(phone)]).toEqual([1, 0]);
    await prove(me, 'sms', phone);
    await changePassword(me, 1);
    expect([await noticesTo(email), await noticesTo(phone)]).toEqual([2, 1]);
  });

  it('cannot flood an address: beyond ten an hour they are dropped, recorded and counted', async () => {
    const { me, email, customerId } = await newOwner();
    const dropped = async () =>
      valueOf((await scrape(app.metricsAddress)).samples, 'consumer_service_sends_refused_total', { bound: 'notices' });
    const before = (await dropped()) ?? NaN;
    await changePassword(me, NOTICES_AN_HOUR);
    expect([await noticesTo(email), await dropped()]).toEqual([NOTICES_AN_HOUR, before]);
    await changePassword(me, 2);
    expect([await noticesTo(email), await dropped()]).toEqual([NOTICES_AN_HOUR, before + 2]);
    const event = {
      outcome: 'failed',
      actor: 'consumer',
      touchpoint: client.headers['X-Touchpoint-Code'],
      details: { kind: 'password-changed', channel: 'email', destination: 'a***@e***.com' },
    };
    expect(await drops(customerId)).toEqual([event, event]);
    await app.clock.advance({ minutes: 59 });
    const back = client.as((await logIn(client, email)).body.token);
    await changePassword(back, 1);
    expect(await noticesTo(email)).toBe(NOTICES_AN_HOUR);
    await app.clock.advance({ minutes: 1 });
    await changePassword(back, 1);
    expect(await noticesTo(email)).toBe(NOTICES_AN_HOUR + 1);
  });

  it('are bounded all the same when changes come at once', async () => {
    const { me, email, customerId } = await newOwner();
    const other = await newOwner();
    await changePassword(me, NOTICES_AN_HOUR - 1);
    const changes = [
      me.patch('/api/v1/me', { phone: newPhone() }),
      ...[me, me, me, other.me].map((who) =>
        who.post('/api/v1/password/change', { currentPassword: PASSWORD, newPassword: PASSWORD }),
      ),
    ];
    const statuses = (await Promise.all(changes)).map(({ status }) => status);
    expect(statuses.filter((status) => status >= 500)).toEqual([]);
    await changePassword(me, 2);
    expect(await noticesTo(email)).toBe(NOTICES_AN_HOUR);
    expect((await drops(customerId)).length).toBeGreaterThanOrEqual(1);
    expect(await noticesTo(other.email)).toBe(1);
  });

  it('cannot be kept from an owner by strangers who register with the address', async () => {
    const { me, email } = await newOwner();
    const proving = await app.client({ channelProof: 'EMAIL' });
    for (let send = 0; send < 4; send += 1) {
      await app.clock.advance({ minutes: 1 });
      expect((await proving.post('/api/v1/register', newPerson({ email }))).status).toBe(202);
    }
    await app.clock.advance({ minutes: 1 });
    expect((await proving.post('/api/v1/register', newPerson({ email }))).body.code).toBe('RESEND_TOO_SOON');
    expect(await noticesTo(email, 'account-exists')).toBe(4);
    await changePassword(me, 1);
    expect(await noticesTo(email)).toBe(1);
  });

  it('tell the former address of a removal', async () => {
    const { me, email } = await newOwner();
    const phone = newPhone();
    await me.patch('/api/v1/me', { phone });
    await prove(me, 'sms', phone);
    expect((await me.patch('/api/v1/me', { email: null })).status).toBe(200);
    expect([await noticesTo(email, 'identifier-changed'), await noticesTo(phone, 'identifier-changed')]).toEqual([
      1, 0,
    ]);
  });
});
