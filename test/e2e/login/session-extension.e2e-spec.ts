import type { Answer, ApiClient } from '../../support/api/api-client';
import { expectStatus, register, type SessionBody } from '../../support/api/consumers';
import type { ProblemBody } from '../../support/api/problems';
import { outcomeOf, tally } from '../../support/api/recovery';
import { TestService } from '../../support/service/test-service';
import { until } from '../../support/until';

const TTL = 1800;

interface Claims {
  sid: string;
  iat: number;
  exp: number;
  auth_time: number;
}

const extend = (client: ApiClient, body?: unknown): Promise<Answer<SessionBody & ProblemBody>> =>
  client.post('/api/v1/session/extend', body);

const claimsOf = (token: string): Claims =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Claims;

describe('the extension of a session', () => {
  let app: TestService;

  beforeAll(async () => {
    app = await TestService.withStoppedClock();
  });

  const signedIn = async (sessionMax: string, sessionIdle?: string) => {
    const client = await app.client({ sessionMax, sessionIdle });
    const { token, customerId } = await register(client);
    return { client, customerId, token, me: client.as(token) };
  };
  const rowsOf = (token: string) =>
    app.query<{ xmin: string; last_used_at: Date | null }>(
      'SELECT xmin::text, last_used_at FROM session WHERE id = $1',
      [claimsOf(token).sid],
    );
  const statusOf = async (client: ApiClient) => (await client.get('/api/v1/me')).status;

  it('answers a new token of the same session, which tells when the consumer logged in', async () => {
    const { client, customerId, token, me } = await signedIn('8h');
    const { sid, iat } = claimsOf(token);
    expect(claimsOf(token)).toMatchObject({ auth_time: iat, exp: iat + TTL });
    await app.clock.advance({ minutes: 20 });
    const extended = expectStatus(200, await extend(me));
    expect(extended).toEqual({ customerId, token: expect.any(String) as string });
    const later = iat + 20 * 60;
    expect(claimsOf(extended.token)).toMatchObject({ sid, iat: later, exp: later + TTL, auth_time: iat });
    expect(await statusOf(me)).toBe(200);
    await app.clock.advance({ minutes: 10 });
    // The first token has expired, the session has not.
    expect(await statusOf(me)).toBe(401);
    expect(await statusOf(client.as(extended.token))).toBe(200);
  });

  it('ignores a body', async () => {
    const { me } = await signedIn('8h');
    expect((await extend(me, { customerId: 'another' })).status).toBe(200);
  });

  it('writes nothing in the first half of a token’s life', async () => {
    const { me, token } = await signedIn('8h');
    const before = await rowsOf(token);
    expectStatus(200, await extend(me));
    await app.clock.advance({ minutes: 15 });
    const { token: second } = expectStatus(200, await extend(me));
    expect(claimsOf(second).exp).toBe(claimsOf(token).exp + 15 * 60);
    await app.clock.advance({ minutes: 1 });
    expect(await rowsOf(token)).toEqual(before);
    expectStatus(200, await extend(me));
    expect(await rowsOf(token)).not.toEqual(before);
  });

  it('goes no further than --session-max, however often it is asked for', async () => {
    const { client, token } = await signedIn('2h');
    const { auth_time } = claimsOf(token);
    let newest = token;
    for (let minutes = 20; minutes < 120; minutes += 20) {
      await app.clock.advance({ minutes: 20 });
      newest = expectStatus(200, await extend(client.as(newest))).token;
      expect(claimsOf(newest).exp).toBe(auth_time + Math.min(minutes * 60 + TTL, 7200));
    }
    await app.clock.advance({ minutes: 19, seconds: 59 });
    expect(await statusOf(client.as(newest))).toBe(200);
    await app.clock.advance({ seconds: 1 });
    expect(await statusOf(client.as(newest))).toBe(401);
    expect(outcomeOf(await extend(client.as(newest)))).toBe('UNAUTHENTICATED');
  });

  it('ends with --session-idle, but for sessions that are used', async () => {
    const { me, token } = await signedIn('8h', '10m');
    const recorded = async () => (await rowsOf(token))[0]?.last_used_at?.getTime();
    for (let time = 0; time < 2; time += 1) {
      await app.clock.advance({ minutes: 7 });
      expect(await statusOf(me)).toBe(200);
      await until(async () => (await recorded()) === app.clock.epochMs());
    }
    await app.clock.advance({ minutes: 10 });
    expect(outcomeOf(await extend(me))).toBe('UNAUTHENTICATED');
    expect(await statusOf(me)).toBe(401);
  });

  it('is for the touchpoint where the session began, even if both may extend', async () => {
    const { token } = await signedIn('8h');
    const elsewhere = (await app.client({ sessionMax: '8h' })).as(token);
    expect(await statusOf(elsewhere)).toBe(200);
    const refused = await extend(elsewhere);
    expect([refused.status, refused.headers.get('WWW-Authenticate')]).toEqual([
      401,
      'Bearer realm="customer", error="invalid_token"',
    ]);
    // Where the session began is judged before whether it may be extended.
    const strict = (await app.client()).as(token);
    expect(outcomeOf(await extend(strict))).toBe('UNAUTHENTICATED');
  });

  it('is refused where no --session-max is set, and as soon as it is taken away', async () => {
    const plain = await app.client();
    const { token } = await register(plain);
    expect(outcomeOf(await extend(plain.as(token)))).toBe('SESSION_EXTENSION_NOT_ALLOWED');
    expect(outcomeOf(await extend(plain.as('no token')))).toBe('UNAUTHENTICATED');

    const { client, me } = await signedIn('8h');
    await app.administer('touchpoint', 'update', client.headers['X-Touchpoint-Code'] ?? '', '--session-max', 'default');
    await until(async () => outcomeOf(await extend(me)) === 'SESSION_EXTENSION_NOT_ALLOWED');
  });

  it('is refused after logout, and ends with it', async () => {
    const { client, me } = await signedIn('8h');
    const { token } = expectStatus(200, await extend(me));
    expect((await client.as(token).post('/api/v1/logout')).status).toBe(204);
    for (const other of [me, client.as(token)]) {
      expect(outcomeOf(await extend(other))).toBe('UNAUTHENTICATED');
      expect(await statusOf(other)).toBe(401);
    }
  });

  it('succeeds fifty times at once at two replicas; each token works, and there is one session', async () => {
    const { client, customerId, me, token } = await signedIn('8h');
    const replica = await TestService.start({ replicaOf: app, clock: 'stopped' });
    await app.clock.advance({ minutes: 20 });
    await replica.clock.advance({ minutes: 20 });
    const at = (index: number, sender: ApiClient) => (index % 2 === 0 ? sender : sender.at(replica.baseUrl));
    const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => extend(at(index, me))));
    expect(tally(answers)).toEqual({ '200': 50 });
    const uses = answers.map(({ body }, index) => statusOf(at(index + 1, client.as(body.token))));
    expect(new Set(await Promise.all(uses))).toEqual(new Set([200]));
    const sessions = await app.query('SELECT id FROM session WHERE consumer_id = $1', [customerId]);
    expect(sessions).toEqual([{ id: claimsOf(token).sid }]);
  });
});
