import { randomUUID } from 'node:crypto';
import type { Answer, ApiClient } from '../../support/api/api-client';
import { newPerson, newPhone, PASSWORD, register } from '../../support/api/consumers';
import { newKey, sendKeyed } from '../../support/api/idempotency';
import { ADA, identify, outcomeOf, trusting } from '../../support/api/identification';
import { type ProblemBody, refusalOf } from '../../support/api/problems';
import { logIn } from '../../support/api/traceable-person';
import { AssertionIssuer } from '../../support/identity-providers/assertion-issuer';
import { codeSentTo, delivered } from '../../support/messages/mailbox';
import { TestService } from '../../support/service/test-service';
import { until } from '../../support/until';

const REFUSED = [401, 'INVALID_CREDENTIALS'];
const REASON = 'a stolen account, ticket 4711';

interface Changed {
  customerId: string;
  disabledAt: string | null;
  revoked: number;
}

describe('a disabled consumer', () => {
  let app: TestService;
  let replica: TestService;
  let client: ApiClient;
  let proving: ApiClient;
  let issuer: AssertionIssuer;
  let identifying: ApiClient;

  beforeAll(async () => {
    app = await TestService.shared();
    replica = await TestService.start({ replicaOf: app });
    client = await app.client();
    proving = await app.client({ channelProof: 'EMAIL' });
    issuer = await AssertionIssuer.start();
    identifying = await trusting(app, issuer, { trustEmail: true });
  });
  afterAll(() => {
    issuer.close();
  });

  const disable = (consumer: string) => app.administer<Changed>('consumer', 'disable', consumer, '--reason', REASON);
  const enable = (consumer: string) => app.administer<Changed>('consumer', 'enable', consumer);
  const consumers = async (): Promise<number> => (await app.query('SELECT 1 FROM consumer')).length;
  const withoutId = ({ status, body }: Answer<object>) => ({ status, body: { ...body, requestId: '' } });
  const provenConsumer = async () => {
    const person = { ...newPerson(), phone: newPhone() };
    const { body } = await proving.post('/api/v1/register', person);
    const code = await codeSentTo(app, person.email);
    const key = newKey();
    const completion = { registrationId: body.registrationId, code };
    const complete = () => sendKeyed(proving, key, completion, '/api/v1/register/complete');
    return { ...person, ...(await complete()).body, complete };
  };

  it('is refused with every token at the next request, on each of two replicas', async () => {
    const { customerId, token, email } = await register(client);
    const second = (await logIn(client.at(replica.baseUrl), email)).body.token;
    expect(await disable(email)).toEqual({ customerId, disabledAt: expect.any(String) as string, revoked: 2 });
    for (const { baseUrl } of [app, replica]) {
      for (const ended of [token, second]) {
        const consumer = client.at(baseUrl).as(ended);
        const answers = await Promise.all([
          consumer.get('/api/v1/me'),
          consumer.patch('/api/v1/me', { firstName: 'Augusta' }),
          consumer.post('/api/v1/password/change', { currentPassword: PASSWORD, newPassword: `new ${PASSWORD}` }),
          consumer.post('/api/v1/verifications/email/request'),
          consumer.post('/api/v1/verifications/email/confirm', { code: '123456' }),
          consumer.post('/api/v1/logout'),
        ]);
        for (const { status, body } of answers) expect([status, body.code]).toEqual([401, 'UNAUTHENTICATED']);
      }
    }
  });

  it('is not advised to choose a new password', async () => {
    const { customerId, email } = await provenConsumer();
    const advise = () => app.cli('consumer', 'send-recovery', email, '--reason', REASON, '--json');
    expect(JSON.parse((await advise()).stdout)).toEqual({ customerId, addresses: 1 });
    await disable(customerId);
    const { exitCode, stderr } = await advise();
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('is disabled')]);
    expect(await delivered(app, email, 'recovery-advised')).toHaveLength(1);
  });

  it('is refused even with a session that was opened in the moment of disabling', async () => {
    const { customerId, token } = await register(client);
    await disable(customerId);
    await app.query('UPDATE session SET revoked_at = NULL WHERE consumer_id = $1', [customerId]);
    for (const { baseUrl } of [app, replica]) {
      const consumer = client.at(baseUrl).as(token);
      expect((await consumer.get('/api/v1/me')).status).toBe(401);
      expect((await consumer.patch('/api/v1/me', { firstName: 'Augusta' })).status).toBe(401);
    }
    await enable(customerId);
    expect((await client.as(token).get('/api/v1/me')).status).toBe(401);
  });

  it('logs in as little as somebody who never registered, by e-mail address, phone number and id', async () => {
    const { customerId, email, phone } = await provenConsumer();
    await disable(customerId);
    const unknown = withoutId(await logIn(client, newPerson().email));
    for (const { baseUrl } of [app, replica]) {
      for (const identifier of [email, phone, customerId]) {
        expect(withoutId(await logIn(client.at(baseUrl), identifier))).toEqual(unknown);
      }
    }
  });

  it('is throttled like somebody who never registered, from a known address too', async () => {
    const { email } = await register(client);
    const home = client.with({ 'X-Consumer-IP': '203.0.113.77' });
    expect((await logIn(home, email)).status).toBe(200);
    await disable(email);
    const statuses = async (identifier: string) => {
      const answers: number[] = [];
      for (let guess = 0; guess < 11; guess += 1) answers.push((await logIn(client, identifier)).status);
      return [...answers, (await logIn(home, identifier)).status];
    };
    expect(await statuses(email)).toEqual(await statuses(newPerson().email));
  });

  it('keeps its identifiers from others, whether claimed or proven', async () => {
    const claimed = await register(client);
    const proven = await provenConsumer();
    await disable(claimed.customerId);
    await disable(proven.customerId);
    for (const email of [claimed.email, proven.email]) {
      expect(refusalOf(await client.post<ProblemBody>('/api/v1/register', newPerson({ email })))).toEqual([
        ...[409, 'IDENTIFIER_TAKEN'],
      ]);
    }
    const phone = newPerson({ phone: proven.phone });
    expect((await client.post('/api/v1/register', phone)).status).toBe(409);
    const { email, token } = await register(client);
    const moved = await client.as(token).patch<ProblemBody>('/api/v1/me', { email: proven.email });
    expect(refusalOf(moved)).toEqual([409, 'IDENTIFIER_TAKEN']);
    expect((await logIn(client, email)).status).toBe(200);
  });

  it('is not identified, neither by a link nor by its proven address, and nobody is made in its place', async () => {
    const { customerId, email } = await provenConsumer();
    const linked = { ...ADA, sub: randomUUID() };
    const { body } = await identify(identifying, await issuer.sign(linked));
    const proven = { ...ADA, sub: randomUUID(), email, email_verified: true };
    await disable(customerId);
    await disable(body.customerId);
    const before = await consumers();
    const [byLink, byAddress] = [await issuer.sign(linked), await issuer.sign(proven)];
    for (const { baseUrl } of [app, replica]) {
      for (const assertion of [byLink, byAddress]) {
        expect(outcomeOf(await identify(identifying.at(baseUrl), assertion))).toBe('401 INVALID_CREDENTIALS');
      }
    }
    expect(await consumers()).toBe(before);

    await enable(body.customerId);
    const again = await identify(identifying, byLink);
    expect([again.status, again.body.customerId]).toEqual([200, body.customerId]);
  });

  it('gets no session from the repetition of a request that opened one', async () => {
    const key = newKey();
    const person = newPerson();
    const { customerId } = (await sendKeyed(client, key, person)).body;
    const proven = await provenConsumer();
    const claims = { ...ADA, sub: randomUUID() };
    const identification = { assertion: await issuer.sign(claims) };
    const identified = await sendKeyed(identifying, key, identification, '/api/v1/identify');
    for (const id of [customerId, proven.customerId, identified.body.customerId]) await disable(id);
    const repeat = (elsewhere = app) => [
      sendKeyed(client.at(elsewhere.baseUrl), key, person),
      proven.complete(),
      sendKeyed(identifying.at(elsewhere.baseUrl), key, identification, '/api/v1/identify'),
    ];
    for (const answer of await Promise.all([...repeat(), ...repeat(replica)])) {
      expect([answer.status, answer.body.code]).toEqual(REFUSED);
    }
    await enable(customerId);
    const anew = await sendKeyed(client, key, person);
    expect([anew.status, anew.body.code]).toEqual([401, 'INVALID_CREDENTIALS']);
  });

  it('logs in again once enabled, while its earlier sessions stay ended', async () => {
    const { customerId, token, email } = await register(client);
    const first = await disable(customerId);
    expect(await disable(email)).toEqual({ ...first, revoked: 0 });
    const { disabledAt } = await app.administer<Changed>('consumer', 'show', customerId);
    expect(disabledAt).toBe(first.disabledAt);
    expect(await enable(email)).toEqual({ customerId, disabledAt: null, revoked: 0 });
    expect((await client.as(token).get('/api/v1/me')).status).toBe(401);
    const { status, body } = await logIn(client, email);
    expect(status).toBe(200);
    expect((await client.as(body.token).get('/api/v1/me')).status).toBe(200);
  });

  it('is told of in the audit trail: who, why, and why a login was refused', async () => {
    const { customerId, email } = await register(client);
    await disable(customerId);
    // At a touchpoint of its own, since many equal refusals are only counted.
    const { headers } = await logIn(await app.client(), email);
    await app.administer('consumer', 'enable', customerId, '--reason', 'the owner has called');
    interface Trail {
      auditTrail: { type: string; actor: string; details: object }[];
    }
    const { auditTrail } = await app.administer<Trail>('consumer', 'show', customerId);
    const acts = auditTrail.filter(({ type }) => /^consumer\.(dis|en)abled$/.test(type));
    expect(acts.map(({ type, actor, details }) => [type, actor, details])).toEqual([
      ['consumer.disabled', 'cli', { reason: REASON }],
      ['consumer.enabled', 'cli', { reason: 'the owner has called' }],
    ]);
    const requestId = headers.get('X-Request-Id') ?? '';
    let explained = '';
    await until(async () => {
      explained = (await app.cli('audit', 'explain', requestId)).stdout;
      return explained !== '';
    });
    expect(explained).toContain('the consumer is disabled');
    expect(explained).toContain(customerId);

    await app.cli('consumer', 'erase', customerId, '--yes');
    const events = await app.query('SELECT details FROM audit_event WHERE consumer_id = $1', [customerId]);
    expect(JSON.stringify(events)).not.toMatch(/4711|owner/);
  });

  it('needs a reason, and a consumer there is', async () => {
    const { email, token } = await register(client);
    const errorOf = async (...args: string[]) => {
      const { exitCode, stdout, stderr } = await app.cli('consumer', ...args);
      expect([exitCode, stdout]).toEqual([1, '']);
      return stderr;
    };
    expect(await errorOf('disable', email)).toContain("required option '--reason <text>' not specified");
    const complaint = '--reason must say why, in at most 500 characters\n';
    expect(await errorOf('disable', email, '--reason', ' ')).toBe(complaint);
    expect(await errorOf('disable', email, '--reason', 'x'.repeat(501))).toBe(complaint);
    expect(await errorOf('disable', 'nobody@example.com', '--reason', REASON)).toBe(
      'There is no consumer nobody@example.com\n',
    );
    expect((await client.as(token).get('/api/v1/me')).status).toBe(200);
  });
});
