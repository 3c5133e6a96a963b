import { randomUUID } from 'node:crypto';
import type { ApiClient } from '../../support/api/api-client';
import { expectStatus, PASSWORD, register, type SessionBody } from '../../support/api/consumers';
import type { ProblemBody } from '../../support/api/problems';
import { outcomeOf } from '../../support/api/recovery';
import { TestService } from '../../support/service/test-service';

interface LiveSession {
  sessionId: string;
  touchpoint: string;
  createdAt: string;
  lastUsedAt: string;
  expiresAt: string;
  current: boolean;
}

const PATH = '/api/v1/me/sessions';

describe('the list of a consumer’s sessions', () => {
  let app: TestService;
  let client: ApiClient;

  beforeAll(async () => {
    app = await TestService.withStoppedClock();
    client = await app.client();
  });

  const logIn = async (at: ApiClient, identifier: string) =>
    at.as(expectStatus(200, await at.post<SessionBody>('/api/v1/login', { identifier, password: PASSWORD })).token);
  const list = async (me: ApiClient) => expectStatus(200, await me.get<LiveSession[]>(PATH));
  /** The session begins at a whole second, as its token says. */
  const secondIn = (minutes: number) =>
    new Date(Math.floor(app.clock.epochMs() / 1000) * 1000 + minutes * 60_000).toISOString();
  const codeOf = (at: ApiClient) => at.headers['X-Touchpoint-Code'];

  it('has the live ones of all touchpoints, the newest first, and says which is this one', async () => {
    const { email, token } = await register(client);
    const loggedOut = await logIn(client, email);
    expect((await loggedOut.post('/api/v1/logout')).status).toBe(204);
    await app.clock.advance({ minutes: 10 });
    const app2 = await app.client({ sessionMax: '8h', sessionIdle: '20m' });
    await logIn(app2, email);
    const id = expect.any(String) as string;
    expect(await list(client.as(token))).toEqual([
      {
        ...{ sessionId: id, touchpoint: codeOf(app2), createdAt: secondIn(0), lastUsedAt: secondIn(0) },
        ...{ expiresAt: secondIn(20), current: false },
      },
      {
        ...{
          sessionId: id,
          touchpoint: codeOf(client),
          createdAt: secondIn(-10),
          lastUsedAt: new Date(app.clock.epochMs()).toISOString(),
        },
        ...{ expiresAt: secondIn(20), current: true },
      },
    ]);
    await app.clock.advance({ minutes: 15 });
    expect(await list(client.as(token))).toHaveLength(2);
    await app.clock.advance({ minutes: 4, seconds: 59 });
    expect(await list(client.as(token))).toHaveLength(2);
    await app.clock.advance({ seconds: 1 });
    expect((await client.as(token).get(PATH)).status).toBe(401);
  });

  it('leaves out who has been idle for too long', async () => {
    const { email, token } = await register(client);
    await logIn(await app.client({ sessionMax: '8h', sessionIdle: '5m' }), email);
    await app.clock.advance({ minutes: 5 });
    expect(await list(client.as(token))).toEqual([expect.objectContaining({ current: true })]);
  });

  it('lets the consumer end another session, and the present one, more than once', async () => {
    const { email, token } = await register(client);
    const me = client.as(token);
    const other = await logIn(client, email);
    const { sessionId } = (await list(me)).find(({ current }) => !current) ?? { sessionId: '' };
    for (let time = 0; time < 2; time += 1) expect((await me.send('DELETE', `${PATH}/${sessionId}`)).status).toBe(204);
    expect((await other.get('/api/v1/me')).status).toBe(401);
    const [mine] = await list(me);
    expect((await me.send('DELETE', `${PATH}/${mine?.sessionId ?? ''}`)).status).toBe(204);
    expect((await me.get('/api/v1/me')).status).toBe(401);
    const { auditTrail } = await app.administer<{ auditTrail: { type: string; details: unknown }[] }>(
      ...['consumer', 'export', email],
    );
    const ends = auditTrail.filter(({ type }) => type === 'session.ended').map(({ details }) => details);
    expect(ends).toHaveLength(2);
    expect(ends).toEqual(expect.arrayContaining([{ sessionId }, { sessionId: mine?.sessionId }]));
  });

  it('knows no session of another consumer', async () => {
    const [mine, theirs] = [await register(client), await register(client)];
    const [session] = await list(client.as(theirs.token));
    for (const id of [session?.sessionId ?? '', randomUUID(), 'none', '%00']) {
      expect([id, outcomeOf(await client.as(mine.token).send<ProblemBody>('DELETE', `${PATH}/${id}`))]).toEqual([
        id,
        'NOT_FOUND',
      ]);
    }
    expect((await client.as(theirs.token).get('/api/v1/me')).status).toBe(200);
  });

  it('needs the token of a live session', async () => {
    for (const me of [client, client.as('a.b.c')]) {
      expect((await me.get(PATH)).status).toBe(401);
      expect((await me.send('DELETE', `${PATH}/${randomUUID()}`)).status).toBe(401);
    }
  });
});
