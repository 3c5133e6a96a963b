import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../../../test/support/api/api-client';
import { PASSWORD, register, type SessionBody } from '../../../test/support/api/consumers';
import { AssertionIssuer } from '../../../test/support/identity-providers/assertion-issuer';
import { TestApp } from '../../../test/support/in-process/test-app';
import { codeSentTo } from '../../../test/support/messages/mailbox';
import { SERVICE_ORIGIN } from '../../audit/origin';
import { newId } from '../../platform/random';
import { IdentityProvidersService } from '../../touchpoints/identity-providers/identity-providers.service';
import { ExternalIdentitiesService } from './external-identities.service';
import { SessionsService } from '../sessions/sessions.service';

const NEW_PASSWORD = 'hold fast to the analytical engine';

describe('a link to an identity provider', () => {
  let app: TestApp;
  let client: ApiClient;
  let google: AssertionIssuer;

  beforeAll(async () => {
    app = await TestApp.start();
    client = await app.client();
    google = await AssertionIssuer.start();
    const provider = { issuer: google.url, audience: 'shop', keys: { uri: google.jwksUri }, trustsEmail: true };
    const code = client.headers['X-Touchpoint-Code'] ?? '';
    await app.nest.get(IdentityProvidersService).add(code, provider, SERVICE_ORIGIN);
  });
  afterAll(async () => {
    google.close();
    await app.close();
  });

  const isLive = async (token: string) => (await client.as(token).get('/api/v1/me')).status === 200;
  const verifiedConsumer = async () => {
    const consumer = await register(client);
    const me = client.as(consumer.token);
    await me.post('/api/v1/verifications/email/request');
    const code = await codeSentTo(app, consumer.email);
    expect((await me.post('/api/v1/verifications/email/confirm', { code })).status).toBe(200);
    return consumer;
  };
  const link = async (email: string) => {
    const sub = newId();
    const claims = { sub, email, email_verified: true, given_name: 'Ada', family_name: 'Lovelace' };
    const { status } = await client.post<SessionBody>('/api/v1/identify', { assertion: await google.sign(claims) });
    expect(status).toBe(200);
    return { sub };
  };

  it.each(['uses', 'makes'])(
    'is undone with the session that an assertion which %s it is just opening',
    async (does) => {
      const { email, token, customerId } = await verifiedConsumer();
      const { sub: subject } = await link(email);
      const touchpoint = await app.touchpoints.get(client.headers['X-Touchpoint-Code'] ?? '');
      const identities = app.nest.get(ExternalIdentitiesService);
      const end = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD, endExternalIdentities: true };
      const [changing, opened] = await app.dataSource.transaction(async (manager) => {
        const name = { issuer: google.url, subject: does === 'uses' ? subject : newId() };
        if (does === 'uses') await identities.holdLinkedConsumer(manager, name);
        else await identities.linkToOwner(manager, name, email, SERVICE_ORIGIN);
        const change = client.as(token).post('/api/v1/password/change', end);
        // Time in which the change would be done if it did not wait.
        await sleep(500);
        const sessions = app.nest.get(SessionsService);
        const caller = { touchpoint, requestId: newId(), consumerIp: null, origin: SERVICE_ORIGIN };
        const session = await sessions.issueForAssertion(manager, caller, customerId, google.url);
        return [{ change }, session.token];
      });
      expect((await changing.change).status).toBe(204);
      expect(await isLive(opened)).toBe(false);
      expect((await client.as(token).get('/api/v1/me')).body.externalIdentities).toEqual([]);
    },
  );
});
