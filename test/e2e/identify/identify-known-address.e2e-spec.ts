import { randomUUID } from 'node:crypto';
import type { ApiClient } from '../../support/api/api-client';
import { newPerson, PASSWORD, register, type SessionBody } from '../../support/api/consumers';
import { ADA, type Identified, identify, outcomeOf, trusting } from '../../support/api/identification';
import { violationsOf } from '../../support/api/problems';
import { AssertionIssuer } from '../../support/identity-providers/assertion-issuer';
import { codeSentTo } from '../../support/messages/mailbox';
import { TestService } from '../../support/service/test-service';

describe('at POST /api/v1/identify an e-mail address that somebody has', () => {
  const issuers: AssertionIssuer[] = [];
  let app: TestService;
  let issuer: AssertionIssuer;
  let client: ApiClient;

  beforeAll(async () => {
    app = await TestService.withStoppedClock();
    issuer = await newIssuer();
    client = await trusting(app, issuer);
  });
  afterAll(() => {
    for (const started of issuers) started.close();
  });

  const newIssuer = async (alg?: string): Promise<AssertionIssuer> => {
    const started = await AssertionIssuer.start(app.clock, alg);
    issuers.push(started);
    return started;
  };
  const profileOf = async ({ body }: Identified) => (await client.as(body.token).get('/api/v1/me')).body;
  const newEmail = (): string => newPerson().email;

  const claimed = async () => register(client, { email: newEmail() });
  const verified = async () => {
    const proving = await app.client({ channelProof: 'EMAIL' });
    const person = newPerson();
    const { body } = await proving.post('/api/v1/register', person);
    const code = await codeSentTo(app, person.email);
    const completed = await proving.post<SessionBody>('/api/v1/register/complete', {
      ...{ registrationId: body.registrationId, code, password: PASSWORD },
    });
    return { ...completed.body, email: person.email };
  };

  it.each([
    { here: 'verified', trustsEmail: true, says: true, outcome: 'is linked to its holder' },
    { here: 'verified', trustsEmail: true, says: false, outcome: '409 IDENTIFIER_TAKEN' },
    { here: 'verified', trustsEmail: true, says: 'true', outcome: '409 IDENTIFIER_TAKEN' },
    { here: 'verified', trustsEmail: false, says: true, outcome: '409 IDENTIFIER_TAKEN' },
    { here: 'claimed', trustsEmail: true, says: true, outcome: 'beats the claim' },
    { here: 'claimed', trustsEmail: true, says: false, outcome: 'is left out' },
    { here: 'claimed', trustsEmail: false, says: true, outcome: 'is left out' },
    { here: 'claimed', trustsEmail: false, says: false, outcome: 'is left out' },
  ])(
    'is $here here, and called verified ($says) by an issuer (trusted: $trustsEmail): $outcome',
    async ({ here, trustsEmail, says, outcome }) => {
      const holder = await (here === 'verified' ? verified() : claimed());
      const shop = await trusting(app, issuer, { trustEmail: trustsEmail });
      const sub = randomUUID();
      const claims = { sub, email: holder.email.toUpperCase(), email_verified: says, ...ADA };
      const assertion = await issuer.sign(claims);
      const answer = await identify(shop, assertion);
      const holdersProfile = (await client.as(holder.token).get('/api/v1/me')).body;
      if (outcome === 'is linked to its holder') {
        expect([answer.status, answer.body.customerId]).toEqual([200, holder.customerId]);
        const later = await identify(shop, await issuer.sign({ sub }));
        expect([later.status, later.body.customerId]).toEqual([200, holder.customerId]);
      } else if (outcome === 'beats the claim') {
        expect(answer.status).toBe(201);
        expect(answer.body.customerId).not.toBe(holder.customerId);
        expect(await profileOf(answer)).toMatchObject({ email: holder.email, emailVerified: true });
        expect(holdersProfile.email).toBeNull();
      } else if (outcome === 'is left out') {
        expect(answer.status).toBe(201);
        expect(answer.body.customerId).not.toBe(holder.customerId);
        expect(await profileOf(answer)).toMatchObject({ email: null, emailVerified: false });
        expect(holdersProfile).toMatchObject({ email: holder.email, emailVerified: false });
      } else {
        expect([outcomeOf(answer), violationsOf(answer)]).toEqual([outcome, ['email IN_USE']]);
        expect(holdersProfile).toMatchObject({ email: holder.email, emailVerified: here === 'verified' });
        // The refused assertion is still good.
        expect(outcomeOf(await identify(shop, assertion))).toBe(outcome);
      }
    },
  );
});
