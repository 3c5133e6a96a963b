import type { ApiClient } from '../../support/api/api-client';
import { newPerson, newPhone, PASSWORD, register } from '../../support/api/consumers';
import { trusting, identify } from '../../support/api/identification';
import { prove, recover } from '../../support/api/recovery';
import { SubscriberClient } from '../../support/api/subscribers';
import { codeOf } from '../../support/api/touchpoints';
import { AssertionIssuer } from '../../support/identity-providers/assertion-issuer';
import { codeSentTo } from '../../support/messages/mailbox';
import { TestService } from '../../support/service/test-service';

const SESSIONS = 'session.started,session.ended';
const ALL = `consumer.registered,consumer.updated,consumer.identifier-verified,consumer.identifier-removed,${SESSIONS}`;

describe('integrators are told', () => {
  let app: TestService;
  let client: ApiClient;
  let subscriber: SubscriberClient;
  let touchpoint: string;

  beforeAll(async () => {
    app = await TestService.shared();
    client = await app.client();
    touchpoint = codeOf(client);
    subscriber = await SubscriberClient.create(app);
  });

  it('what a consumer does, with the names of fields and never a value', async () => {
    const phone = newPhone();
    const { customerId, token, email } = await register(client, { firstName: 'Canary', phone });
    const me = client.as(token);
    await me.patch('/api/v1/me', { lastName: 'Canaryson', attributes: { tier: 'canary' } });
    await me.patch('/api/v1/me', { lastName: 'Canaryson' });
    await prove(app, me, 'email', email);
    await me.patch('/api/v1/me', { phone: null, locale: 'de' });
    await me.post('/api/v1/password/change', { currentPassword: PASSWORD, newPassword: `${PASSWORD} canary` });
    await app.administer('consumer', 'disable', email, '--reason', 'canary');
    await app.administer('consumer', 'disable', email, '--reason', 'canary again');
    await app.administer('consumer', 'enable', email);
    await app.administer('consumer', 'enable', email);
    await app.administer('consumer', 'erase', email, '--yes');

    expect(await subscriber.of(customerId)).toEqual([
      ['consumer.registered', { touchpoint, by: 'registration' }],
      ['consumer.updated', { touchpoint, changed: ['lastName', 'attributes'] }],
      ['consumer.identifier-verified', { touchpoint, identifier: 'email' }],
      ['consumer.updated', { touchpoint, changed: ['locale'] }],
      ['consumer.identifier-removed', { touchpoint, identifier: 'phone' }],
      ['consumer.password-changed', { touchpoint }],
      ['consumer.disabled', {}],
      ['consumer.enabled', {}],
      ['consumer.erased', {}],
    ]);
    const everything = JSON.stringify([await subscriber.readAll(), await app.query('SELECT * FROM event')]);
    for (const canary of ['canary', 'Canary', email, phone]) expect(everything).not.toContain(canary);
  });

  it('of a recovery, and of what it takes from a consumer who had proven nothing', async () => {
    const { customerId, email } = await register(client, { phone: newPhone() });
    await recover(app, client, email);
    expect(await subscriber.of(customerId)).toEqual([
      ['consumer.registered', { touchpoint, by: 'registration' }],
      ['consumer.identifier-verified', { touchpoint, identifier: 'email' }],
      ['consumer.identifier-removed', { touchpoint, identifier: 'phone' }],
      ['consumer.recovered', { touchpoint }],
    ]);
  });

  it('of a registration before the proof that it began with', async () => {
    const proving = await app.client({ channelProof: 'EMAIL' });
    const person = newPerson();
    const { body } = await proving.post('/api/v1/register', person);
    const completion = { registrationId: body.registrationId, code: await codeSentTo(app, person.email) };
    const { body: session } = await proving.post<{ customerId: string }>('/api/v1/register/complete', completion);
    expect(await subscriber.of(session.customerId)).toEqual([
      ['consumer.registered', { touchpoint: codeOf(proving), by: 'proof' }],
      ['consumer.identifier-verified', { touchpoint: codeOf(proving), identifier: 'email' }],
    ]);
  });

  it('that an address is lost to somebody who has proven it', async () => {
    const proving = await app.client({ channelProof: 'EMAIL' });
    const claim = await register(client);
    const person = newPerson({ email: claim.email });
    const { body } = await proving.post('/api/v1/register', person);
    await proving.post('/api/v1/register/complete', {
      ...{ registrationId: body.registrationId, code: await codeSentTo(app, person.email) },
    });
    expect((await subscriber.of(claim.customerId)).at(-1)).toEqual([
      'consumer.identifier-removed',
      { touchpoint: codeOf(proving), identifier: 'email' },
    ]);
  });

  it('of links to identity providers', async () => {
    const issuer = await AssertionIssuer.start();
    const identifying = await trusting(app, issuer, { trustEmail: true });
    const { customerId, token, email } = await register(client);
    await prove(app, client.as(token), 'email', email);
    const known = { email, email_verified: true, given_name: 'Ada', family_name: 'Lovelace' };
    expect((await identify(identifying, await issuer.sign({ sub: email, ...known }))).status).toBe(200);
    await app.administer('consumer', 'unlink', customerId, '--issuer', issuer.url);
    expect((await subscriber.of(customerId)).slice(-2)).toEqual([
      ['consumer.updated', { touchpoint: codeOf(identifying), changed: ['externalIdentities'] }],
      ['consumer.updated', { changed: ['externalIdentities'] }],
    ]);
    issuer.close();
  });

  it('nothing of what was refused or rolled back', async () => {
    const { customerId, token, email } = await register(client);
    expect((await client.post('/api/v1/register', newPerson({ email }))).status).toBe(409);
    const patch = { firstName: '', locale: 'de' };
    expect((await client.as(token).patch('/api/v1/me', patch)).status).toBe(400);
    expect((await client.as(token).patch('/api/v1/me', { locale: 'de' }, { 'If-Match': '"other"' })).status).toBe(412);
    expect(await subscriber.of(customerId)).toEqual([['consumer.registered', { touchpoint, by: 'registration' }]]);
  });

  it('of sessions only if they name those events', async () => {
    const watching = await SubscriberClient.create(app, '--types', ALL);
    const { customerId, token, email } = await register(client);
    const login = () => client.post<{ token: string }>('/api/v1/login', { identifier: email, password: PASSWORD });
    const second = (await login()).body.token;
    await client.as(second).post('/api/v1/logout');
    await login();
    await app.administer('consumer', 'sessions', 'revoke', customerId);
    expect((await client.as(token).get('/api/v1/me')).status).toBe(401);

    const told = await watching.of(customerId);
    const sessionIds = (type: string) => told.filter(([known]) => known === type).map(([, data]) => data.sessionId);
    expect(told.map(([type]) => type)).toEqual([
      'consumer.registered',
      ...['session.started', 'session.started', 'session.ended', 'session.started'],
      ...['session.ended', 'session.ended'],
    ]);
    for (const { id } of await watching.readAll()) expect(id).toMatch(/^.{14}7.{4}[89ab]/);
    expect(sessionIds('session.ended').sort()).toEqual(sessionIds('session.started').sort());
    const types = (await subscriber.readAll()).map(({ type }) => type);
    expect(types.filter((type) => type.startsWith('session.'))).toEqual([]);
  });

  it('not of a session that ended by expiry, and of what happened while they were disabled', async () => {
    const watching = await SubscriberClient.create(app, '--types', SESSIONS);
    await app.administer('subscriber', 'disable', watching.code);
    const { customerId, token, email } = await register(client);
    await app.query(`UPDATE session SET expires_at = created_at WHERE consumer_id = $1`, [customerId]);
    expect((await client.as(token).get('/api/v1/me')).status).toBe(401);
    await client.post('/api/v1/login', { identifier: email, password: PASSWORD });
    await app.administer('consumer', 'sessions', 'revoke', customerId);
    await app.administer('subscriber', 'enable', watching.code);
    const told = (await watching.readAll()).filter(({ subject }) => subject === customerId);
    expect(told.map(({ type }) => type)).toEqual(['session.started', 'session.started', 'session.ended']);
  });

  it('only of acts at their touchpoints, and of acts of administration', async () => {
    const other = await app.client();
    const local = await SubscriberClient.create(app, '--touchpoints', codeOf(other));
    const elsewhere = await register(client);
    const here = await register(other);
    await app.administer('consumer', 'erase', elsewhere.customerId, '--yes');
    const told = (await local.readAll()).map(({ type, subject }) => [type, subject]);
    expect(told).toContainEqual(['consumer.registered', here.customerId]);
    expect(told).toContainEqual(['consumer.erased', elsewhere.customerId]);
    expect(told).not.toContainEqual(['consumer.registered', elsewhere.customerId]);
  });
});
