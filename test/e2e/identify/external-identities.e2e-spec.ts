import { randomUUID } from 'node:crypto';
import type { ApiClient } from '../../support/api/api-client';
import { AssertionIssuer } from '../../support/identity-providers/assertion-issuer';
import { newPhone, PASSWORD, register, type SessionBody } from '../../support/api/consumers';
import { codeSentTo, delivered } from '../../support/messages/mailbox';
import { type ProblemBody, violationsOf } from '../../support/api/problems';
import { TestService } from '../../support/service/test-service';

const NEW_PASSWORD = 'hold fast to the analytical engine';
const NAMES = { given_name: 'Ada', family_name: 'Lovelace' };

interface Profile {
  email: string | null;
  updatedAt: string;
  externalIdentities: { issuer: string; linkedAt: string }[];
}

describe('a link to an identity provider', () => {
  let app: TestService;
  let client: ApiClient;
  let google: AssertionIssuer;
  let other: AssertionIssuer;

  beforeAll(async () => {
    app = await TestService.shared();
    client = await app.client();
    [google, other] = [await AssertionIssuer.start(), await AssertionIssuer.start()];
    for (const { url: issuer, jwksUri } of [google, other])
      await app.trust(client, { issuer, jwksUri, trustEmail: true });
  });
  afterAll(() => {
    google.close();
    other.close();
  });

  const cli = (...args: string[]) => app.cli('consumer', ...args);
  const identify = async (issuer: AssertionIssuer, claims: object, from = client) =>
    from.post<SessionBody & ProblemBody>('/api/v1/identify', { assertion: await issuer.sign({ ...NAMES, ...claims }) });
  const profile = async (token: string) => {
    const { status, body, headers } = await client.as(token).get<Profile>('/api/v1/me');
    expect(status).toBe(200);
    return { ...body, etag: headers.get('etag') ?? '' };
  };
  const isLive = async (token: string) => (await client.as(token).get('/api/v1/me')).status === 200;
  const verifiedConsumer = async () => {
    const phone = newPhone();
    const consumer = await register(client, { phone });
    const me = client.as(consumer.token);
    await me.post('/api/v1/verifications/email/request');
    const code = await codeSentTo(app, consumer.email);
    expect((await me.post('/api/v1/verifications/email/confirm', { code })).status).toBe(200);
    return { ...consumer, phone };
  };
  /** The consumer's e-mail address in the mouth of the provider. */
  const link = async (email: string, issuer = google, sub = randomUUID()) => {
    const { status, body } = await identify(issuer, { sub, email, email_verified: true });
    expect(status).toBe(200);
    return { sub, token: body.token };
  };
  const trailOf = (customerId: string) =>
    app.query<{ type: string; details: object }>(
      `SELECT type, details FROM audit_event WHERE consumer_id = $1 AND type LIKE 'external-identit%' ORDER BY id`,
      [customerId],
    );

  it('is seen in the profile, the oldest first, and changes its entity tag', async () => {
    const { email, token } = await verifiedConsumer();
    const before = await profile(token);
    expect(before.externalIdentities).toEqual([]);
    await link(email, other);
    await link(email);
    const after = await profile(token);
    expect(after.externalIdentities.map(({ issuer }) => issuer)).toEqual([other.url, google.url]);
    for (const { linkedAt } of after.externalIdentities) expect(new Date(linkedAt).toISOString()).toBe(linkedAt);
    expect(after.etag).not.toBe(before.etag);
    expect(after.updatedAt > before.updatedAt).toBe(true);

    const patch = (etag: string) => client.as(token).patch('/api/v1/me', { locale: 'en' }, { 'If-Match': etag });
    expect((await patch(before.etag)).status).toBe(412);
    const patched = await patch(after.etag);
    expect([patched.status, patched.body.externalIdentities]).toEqual([200, after.externalIdentities]);
  });

  it('is told to the proven addresses of the account once, and not to claimed ones', async () => {
    const { email, phone, customerId } = await verifiedConsumer();
    const { sub } = await link(email);
    await link(email, google, sub);
    expect(await delivered(app, email, 'identity-linked')).toHaveLength(1);
    expect(await app.administer('message', 'list', '--to', phone)).toEqual([]);
    expect(await trailOf(customerId)).toEqual([{ type: 'external-identity.linked', details: { issuer: google.url } }]);
    const { body } = await identify(google, { email: `${randomUUID()}@example.com`, email_verified: true });
    expect(await trailOf(body.customerId)).toEqual([]);
  });

  it('outlives a change of the password, unless the consumer ends it with that', async () => {
    const { email, token, customerId } = await verifiedConsumer();
    const [{ sub }] = [await link(email), await link(email, other)];
    const change = (body: object) => client.as(token).post<ProblemBody>('/api/v1/password/change', body);
    for (const endExternalIdentities of ['true', 1, null]) {
      const refused = await change({ currentPassword: PASSWORD, newPassword: NEW_PASSWORD, endExternalIdentities });
      expect(violationsOf(refused)).toEqual([
        `endExternalIdentities ${endExternalIdentities === null ? 'REQUIRED' : 'INVALID_TYPE'}`,
      ]);
    }
    const keep = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD, endExternalIdentities: false };
    expect((await change(keep)).status).toBe(204);
    const through = await identify(google, { sub });
    expect([through.status, through.body.customerId]).toEqual([200, customerId]);

    const keyed = client.with({ 'Idempotency-Key': randomUUID() });
    const body = { assertion: await google.sign({ sub, ...NAMES }) };
    const session = await keyed.post<SessionBody>('/api/v1/identify', body);
    expect(session.status).toBe(200);
    const end = { currentPassword: NEW_PASSWORD, newPassword: PASSWORD, endExternalIdentities: true };
    expect((await change(end)).status).toBe(204);
    expect([await isLive(through.body.token), await isLive(session.body.token)]).toEqual([false, false]);
    expect((await profile(token)).externalIdentities).toEqual([]);
    // Neither the subject nor a remembered outcome opens the account.
    const stranger = await identify(google, { sub });
    expect([stranger.status, stranger.body.customerId === customerId]).toEqual([201, false]);
    expect((await keyed.post('/api/v1/identify', body)).body.code).toBe('INVALID_CREDENTIALS');
    const issuers = [google.url, other.url].sort();
    expect((await trailOf(customerId)).at(-1)).toEqual({ type: 'external-identities.unlinked', details: { issuers } });
  });

  it('is undone by `consumer unlink`, which ends all sessions and leaves other issuers', async () => {
    const { email, token, customerId } = await verifiedConsumer();
    const { sub, token: linked } = await link(email);
    await link(email, google);
    await link(email, other);
    const unknown = await cli('unlink', email, '--issuer', 'https://unknown.example');
    expect(unknown).toMatchObject({
      exitCode: 1,
      stderr: `Consumer ${customerId} is not linked to https://unknown.example\n`,
    });
    expect(await isLive(linked)).toBe(true);

    const { exitCode, stdout, stderr } = await cli('unlink', email, '--issuer', google.url, '--json');
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toEqual({ customerId, unlinked: 2, revoked: 4, canLogIn: true });
    expect([await isLive(token), await isLive(linked)]).toEqual([false, false]);
    expect((await identify(google, { sub })).body.customerId).not.toBe(customerId);
    const shown = JSON.parse((await cli('show', email, '--json')).stdout) as {
      profile: Profile;
      externalIdentities: object[];
    };
    expect(shown.profile.externalIdentities.map(({ issuer }) => issuer)).toEqual([other.url]);
    expect(shown.externalIdentities).toEqual([expect.objectContaining({ issuer: other.url })]);
    expect((await trailOf(customerId)).at(-1)?.details).toEqual({ issuers: [google.url] });
  });

  it('is undone by `consumer sessions revoke --external-identities`, which says when no way in is left', async () => {
    const { body } = await identify(google, { sub: randomUUID() });
    const { customerId } = body;
    const { exitCode, stdout, stderr } = await cli('sessions', 'revoke', customerId, '--external-identities', '--json');
    expect([exitCode, JSON.parse(stdout)]).toEqual([0, { customerId, unlinked: 1, revoked: 1, canLogIn: false }]);
    expect(stderr).toBe(`Consumer ${customerId} has neither a password nor an external identity left to log in with\n`);
    expect(await isLive(body.token)).toBe(false);
    const plain = await cli('sessions', 'revoke', customerId, '--json');
    expect(JSON.parse(plain.stdout)).toEqual({ customerId, revoked: 0 });
  });
});
