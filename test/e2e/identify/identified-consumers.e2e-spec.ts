import { randomUUID } from 'node:crypto';
import type { ApiClient } from '../../support/api/api-client';
import { newPerson, newPhone, PASSWORD } from '../../support/api/consumers';
import { ADA, type Identified, identify, outcomeOf, trusting } from '../../support/api/identification';
import { violationsOf } from '../../support/api/problems';
import { AssertionIssuer } from '../../support/identity-providers/assertion-issuer';
import { TestService } from '../../support/service/test-service';

describe('by an assertion', () => {
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
  const consumers = async (): Promise<number> => {
    const [row] = await app.query<{ count: number }>('SELECT count(*)::int AS count FROM consumer');
    return row?.count ?? 0;
  };
  const newEmail = (): string => newPerson().email;

  describe('a new consumer', () => {
    it('is made of the claims, and of the fields beside the assertion where those say nothing usable', async () => {
      const email = newEmail();
      const claims = { given_name: '  Ada ', family_name: 'Lovelace', email: 'no address', locale: 'en_GB' };
      const phone_number = newPhone();
      const fields = { firstName: 'Augusta', email, locale: 'de', birthDate: '1815-12-10', attributes: { tier: 1 } };
      const made = await identify(client, await issuer.sign({ ...claims, phone_number }), fields);
      expect(made.status).toBe(201);
      expect(await profileOf(made)).toMatchObject({
        ...{ firstName: 'Ada', lastName: 'Lovelace', email, emailVerified: false, locale: 'de', hasPassword: false },
        ...{ phone: phone_number, phoneVerified: false, birthDate: '1815-12-10', attributes: { tier: 1 } },
      });
    });

    it('needs names, all of which are asked for at once, and the refused assertion is still good', async () => {
      const assertion = await issuer.sign({ given_name: '' });
      const refused = await identify(client, assertion);
      expect([refused.status, violationsOf(refused)]).toEqual([400, ['firstName REQUIRED', 'lastName REQUIRED']]);
      const named = await identify(client, assertion, { firstName: 'Ada', lastName: 'Lovelace' });
      expect(named.status).toBe(201);
    });

    it('has a body that is judged as a registration without a password', async () => {
      const wrong = { type: 'COMPANY', firstName: 1, email: 'x', birthDate: '2999-01-01', password: PASSWORD };
      expect(violationsOf(await identify(client, undefined, wrong))).toEqual([
        ...['assertion REQUIRED', 'birthDate INVALID_VALUE', 'email INVALID_FORMAT', 'firstName INVALID_TYPE'],
        ...['password FORBIDDEN', 'type INVALID_VALUE'],
      ]);
    });

    it('is recorded with the issuer, and nothing of what the assertion says', async () => {
      const email = newEmail();
      const sub = randomUUID();
      const { body } = await identify(client, await issuer.sign({ sub, email, ...ADA }));
      const rows = await app.query<{ type: string; details: object; row: string }>(
        'SELECT type, details, a::text AS row FROM audit_event a WHERE consumer_id = $1 ORDER BY id',
        [body.customerId],
      );
      expect(rows.map(({ type, details }) => ({ type, details }))).toEqual([
        { type: 'consumer.registered', details: { by: 'identification' } },
        { type: 'consumer.identified', details: { issuer: issuer.url, sessionId: expect.any(String) as string } },
      ]);
      for (const { row } of rows) for (const secret of [email, sub, 'Lovelace']) expect(row).not.toContain(secret);
    });
  });

  describe('at once', () => {
    it('twenty first assertions of one subject make one consumer', async () => {
      const before = await consumers();
      const sub = randomUUID();
      const assertions = await Promise.all(Array.from({ length: 20 }, () => issuer.sign({ sub, ...ADA })));
      const answers = await Promise.all(assertions.map((assertion) => identify(client, assertion)));
      expect(answers.map(({ status }) => status).sort()).toEqual([...Array<number>(19).fill(200), 201]);
      expect(new Set(answers.map(({ body }) => body.customerId)).size).toBe(1);
      expect(await consumers()).toBe(before + 1);
    });

    it('ten subjects with one verified address become one consumer', async () => {
      const before = await consumers();
      const shop = await trusting(app, issuer, { trustEmail: true });
      const claims = { email: newEmail(), email_verified: true, ...ADA };
      const assertions = await Promise.all(Array.from({ length: 10 }, () => issuer.sign(claims)));
      const answers = await Promise.all(assertions.map((assertion) => identify(shop, assertion)));
      expect(answers.map(({ status }) => status).sort()).toEqual([...Array<number>(9).fill(200), 201]);
      expect(new Set(answers.map(({ body }) => body.customerId)).size).toBe(1);
      expect(await consumers()).toBe(before + 1);
    });

    it('twenty uses of one assertion have one success', async () => {
      const sub = randomUUID();
      for (const assertion of [await issuer.sign({ sub, ...ADA }), await issuer.sign({ sub })]) {
        const answers = await Promise.all(Array.from({ length: 20 }, () => identify(client, assertion)));
        const [success = '', ...others] = answers.map(outcomeOf).sort();
        expect(['200', '201']).toContain(success);
        expect(others).toEqual(Array(19).fill('409 ASSERTION_REPLAYED'));
      }
    });
  });
});
