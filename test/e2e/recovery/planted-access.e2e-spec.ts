import { randomUUID } from 'node:crypto';
import type { ApiClient } from '../../support/api/api-client';
import { newPerson, newPhone, PASSWORD, register, type SessionBody } from '../../support/api/consumers';
import { newKey, sendKeyed } from '../../support/api/idempotency';
import { ADA, identify, trusting } from '../../support/api/identification';
import {
  begin,
  login,
  NEW_PASSWORD,
  newVerified,
  outcomeOf,
  prove,
  recover,
  recoveryCode,
  reset,
  type Started,
} from '../../support/api/recovery';
import { AssertionIssuer } from '../../support/identity-providers/assertion-issuer';
import { codeSentTo, delivered } from '../../support/messages/mailbox';
import { TestService } from '../../support/service/test-service';

const ME = '/api/v1/me';
const HOME = { 'X-Consumer-IP': '203.0.113.66' };

describe('an impostor who registers with somebody else’s e-mail address and waits', () => {
  let app: TestService;
  let client: ApiClient;
  let issuer: AssertionIssuer;

  beforeAll(async () => {
    app = await TestService.withStoppedClock();
    issuer = await AssertionIssuer.start(app.clock);
    client = await trusting(app, issuer);
  });
  afterAll(() => {
    issuer.close();
  });

  const later = (minutes = 2) => app.clock.advance({ minutes });
  const profileOf = async (email: string) => {
    const { body } = await login(client, email, NEW_PASSWORD);
    return (await client.as(body.token).get(ME)).body;
  };
  const count = async (statement: string, consumerId: string) => {
    const [row] = await app.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${statement}`, [consumerId]);
    return row?.count;
  };

  it('keeps nothing of what was planted once the owner recovers the account', async () => {
    const email = newPerson().email;
    const phone = newPhone();
    const key = newKey();
    const registration = newPerson({ email, phone });
    const planted = await sendKeyed(client, key, registration);
    const { customerId, token } = planted.body;
    const me = client.as(token);

    // The password, a second session, a known address.
    const sessions = [token, (await login(client.with(HOME), email, PASSWORD)).body.token];
    // An identity provider's subject: no route links it to an account that is only claimed, so it is put there.
    const subject = randomUUID();
    await app.query(
      'INSERT INTO external_identity (issuer, subject, consumer_id, created_at) VALUES ($1, $2, $3, now())',
      [...[issuer.url, subject, customerId]],
    );
    sessions.push((await identify(client, await issuer.sign({ sub: subject }))).body.token);
    // A pending identifier, which another consumer claims.
    const coveted = (await register(client, { email: undefined, phone: newPhone() })).token;
    const pending = String((await client.as(coveted).get(ME)).body.phone);
    expect((await me.patch(ME, { phone: pending })).body).toMatchObject({ phone, pendingPhone: pending });
    // Open codes: to the impostor's own number, and for a registration with the owner's address.
    await me.post('/api/v1/verifications/sms/request');
    const challenge = await codeSentTo(app, pending);
    const proving = await app.client({ channelProof: 'EMAIL' });
    await later();
    const waiting = await proving.post<{ registrationId: string }>('/api/v1/register', newPerson({ email }));
    const registrationCode = await codeSentTo(app, email);
    // An open recovery by each of the identifiers.
    await later();
    const byPhone = await begin(client, phone);
    const phoneCode = await recoveryCode(app, phone);
    const byEmail = await begin(await app.client(), email);
    await later();
    expect(await count('known_address WHERE consumer_id = $1', customerId)).toBe(1);

    await recover(app, client, email, 2);

    for (const session of sessions) expect(outcomeOf(await client.as(session).get(ME))).toBe('UNAUTHENTICATED');
    for (const identifier of [email, phone, customerId]) {
      expect(outcomeOf(await login(client.with(HOME), identifier, PASSWORD))).toBe('INVALID_CREDENTIALS');
    }
    expect(outcomeOf(await login(client, phone, NEW_PASSWORD))).toBe('INVALID_CREDENTIALS');
    const again = await sendKeyed(client, key, registration);
    expect([again.status, again.body.code]).toEqual([401, 'INVALID_CREDENTIALS']);
    expect(await identify(client, await issuer.sign({ sub: subject }))).toMatchObject({ status: 400 });
    const anew = await identify(client, await issuer.sign({ sub: subject, ...ADA }));
    expect([anew.status, anew.body.customerId === customerId]).toEqual([201, false]);
    const completion = { registrationId: waiting.body.registrationId, code: registrationCode, password: PASSWORD };
    expect(outcomeOf(await proving.post('/api/v1/register/complete', completion))).toBe('IDENTIFIER_TAKEN');
    expect(outcomeOf(await reset(client, byPhone, phoneCode))).toBe('CODE_EXPIRED');
    for (const table of ['known_address', 'external_identity', 'challenge', 'recovery']) {
      expect(await count(`${table} WHERE consumer_id = $1`, customerId)).toBe(0);
    }
    expect(await count('recovery WHERE id = $1', byEmail)).toBe(0);
    expect(await profileOf(email)).toMatchObject({
      ...{ customerId, email, emailVerified: true, pendingEmail: null, phone: null, pendingPhone: null },
      ...{ hasPassword: true, externalIdentities: [] },
    });
    const { body } = await login(client, email, NEW_PASSWORD);
    const confirmed = client.as(body.token).post('/api/v1/verifications/sms/confirm', { code: challenge });
    expect(outcomeOf(await confirmed)).toBe('CODE_EXPIRED');
    // The number is free for whoever has it.
    expect((await client.post<SessionBody>('/api/v1/register', newPerson({ phone }))).status).toBe(201);
  });

  it('does not escape by proving a number of their own while the owner’s recovery is open', async () => {
    const phone = newPhone();
    const { email, token } = await register(client, { phone });
    const recoveryId = await begin(client, email);
    const code = await recoveryCode(app, email);
    await prove(app, client.as(token), 'sms', phone);
    expect((await reset(client, recoveryId, code)).status).toBe(204);
    expect(await profileOf(email)).toMatchObject({ email, emailVerified: true, phone: null });
    await delivered(app, phone, 'identifier-changed');
    await later();
    const lost = await begin(client, phone);
    expect(outcomeOf(await reset(client, lost, '12345678'))).toBe('CODE_INVALID');
    expect(await app.query('SELECT 1 FROM recovery WHERE id = $1 AND consumer_id IS NOT NULL', [lost])).toEqual([]);
  });

  it('has proven something, and keeps the account: the owner of the address gets no code for it', async () => {
    const phone = newPhone();
    const { email, token, customerId } = await register(client, { phone });
    await prove(app, client.as(token), 'sms', phone);
    const started = await client.post<Started>('/api/v1/password/forgot', { identifier: email });
    expect(started.status).toBe(202);
    expect(await count('recovery WHERE consumer_id = $1', customerId)).toBe(0);
    expect((await client.as(token).get(ME)).status).toBe(200);
  });

  it('loses what is pending at an account whose address is proven, and the owner keeps the rest', async () => {
    const phone = newPhone();
    const { email, token } = await newVerified(app, client, { phone });
    await client.as(token).patch(ME, { email: 'thief@example.com' });
    await later();
    await recover(app, client, email);
    expect(await profileOf(email)).toMatchObject({ email, pendingEmail: null, phone, phoneVerified: false });
  });
});
