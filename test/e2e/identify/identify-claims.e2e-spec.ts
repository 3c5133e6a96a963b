import { randomUUID } from 'node:crypto';
import type { ApiClient } from '../../support/api/api-client';
import { AssertionIssuer } from '../../support/identity-providers/assertion-issuer';
import { newPerson, newPhone, register, type SessionBody } from '../../support/api/consumers';
import { codeSentTo } from '../../support/messages/mailbox';
import { type ProblemBody, violationsOf } from '../../support/api/problems';
import { TestService } from '../../support/service/test-service';

const ADA = { given_name: 'Ada', family_name: 'Lovelace' };

describe('what stands in the way of a new consumer at /identify', () => {
  let app: TestService;
  let issuer: AssertionIssuer;
  let instant: ApiClient;
  let shop: ApiClient;

  beforeAll(async () => {
    app = await TestService.shared();
    issuer = await AssertionIssuer.start();
    instant = await app.client();
    shop = await app.client();
    await app.trust(shop, { issuer: issuer.url, jwksUri: issuer.jwksUri, trustEmail: true });
  });
  afterAll(() => {
    issuer.close();
  });

  const identify = async (claims: object, fields: object = {}) => {
    const assertion = await issuer.sign({ ...ADA, ...claims });
    return shop.post<SessionBody & ProblemBody>('/api/v1/identify', { assertion, ...fields });
  };
  const profileOf = async (token: string) => (await shop.as(token).get('/api/v1/me')).body;
  const registrationOf = async (consumerId: string) => {
    const rows = await app.query<{ details: object; row: string }>(
      `SELECT details, e::text AS row FROM audit_event e WHERE consumer_id = $1 AND type = 'consumer.registered'`,
      [consumerId],
    );
    return rows[0];
  };
  const trusted = () => ({ sub: randomUUID(), email: newPerson().email, email_verified: true });
  const prove = async (token: string, phone: string) => {
    const me = instant.as(token);
    expect((await me.post('/api/v1/verifications/sms/request')).status).toBe(202);
    const confirmed = await me.post('/api/v1/verifications/sms/confirm', { code: await codeSentTo(app, phone) });
    expect(confirmed.status).toBe(200);
  };

  it('is not a phone number that a stranger has registered with: it is left out, and the audit trail tells', async () => {
    const phone = newPhone();
    const squatter = await register(instant, { phone });
    const claims = { ...trusted(), phone_number: phone };
    const { status, body } = await identify(claims);
    expect(status).toBe(201);
    expect(await profileOf(body.token)).toMatchObject({ email: claims.email, emailVerified: true, phone: null });
    expect(await profileOf(squatter.token)).toMatchObject({ phone, phoneVerified: false });

    const recorded = await registrationOf(body.customerId);
    expect(recorded?.details).toEqual({ by: 'identification', leftOut: ['phone'] });
    expect(recorded?.row).not.toContain(phone);
    const later = await identify(claims);
    expect([later.status, later.body.customerId]).toEqual([200, body.customerId]);
  });

  it('is neither of two identifiers that strangers claim, where the issuer proves none', async () => {
    const phone = newPhone();
    const { email } = await register(instant);
    await register(instant, { phone });
    const { status, body } = await identify({ email, phone_number: phone });
    expect(status).toBe(201);
    expect(await profileOf(body.token)).toMatchObject({ email: null, phone: null });
    expect((await registrationOf(body.customerId))?.details).toMatchObject({ leftOut: ['email', 'phone'] });
  });

  it('can be proven afterwards by whom it was left out of, and is then taken from the stranger', async () => {
    const phone = newPhone();
    const squatter = await register(instant, { phone });
    const { body } = await identify({ ...trusted(), phone_number: phone });
    const patched = await shop.as(body.token).patch('/api/v1/me', { phone });
    expect(patched.body).toMatchObject({ phone: null, pendingPhone: phone });
    await prove(body.token, phone);
    expect(await profileOf(body.token)).toMatchObject({ phone, phoneVerified: true });
    expect(await profileOf(squatter.token)).toMatchObject({ phone: null });
  });

  it('is a phone number that somebody has proven', async () => {
    const phone = newPhone();
    await prove((await register(instant, { phone })).token, phone);
    const refused = await identify({ ...trusted(), phone_number: phone });
    expect([refused.status, refused.body.code]).toEqual([409, 'IDENTIFIER_TAKEN']);
    expect(violationsOf(refused)).toEqual(['phone IN_USE']);
  });

  it('is an identifier that the caller has sent beside the assertion, even if it is only claimed', async () => {
    const phone = newPhone();
    const { email } = await register(instant, { phone });
    const refused = await identify({}, { email, phone });
    expect([refused.status, refused.body.code]).toEqual([409, 'IDENTIFIER_TAKEN']);
    expect(violationsOf(refused)).toEqual(['email IN_USE', 'phone IN_USE']);
  });

  it('is nothing when two who claim one phone number come at once: one has it', async () => {
    const phone = newPhone();
    const answers = await Promise.all([1, 2, 3, 4].map(() => identify({ ...trusted(), phone_number: phone })));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    const profiles = await Promise.all(answers.map(({ body }) => profileOf(body.token)));
    expect(profiles.filter((profile) => profile.phone === phone)).toHaveLength(1);
  });
});
