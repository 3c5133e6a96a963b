import { setTimeout } from 'node:timers/promises';
import { SERVICE_ORIGIN } from '../../audit/origin';
import { HashingPool } from '../passwords/hashing/hashing-pool';
import { IdentityProvidersService } from '../../touchpoints/identity-providers/identity-providers.service';
import { ChannelProof } from '../../touchpoints/touchpoint.entity';
import type { ApiClient } from '../../../test/support/api/api-client';
import { newPerson, PASSWORD, register } from '../../../test/support/api/consumers';
import { HeldRequest } from '../../../test/support/http/held-request';
import { codeSentTo } from '../../../test/support/messages/mailbox';
import { MovableClock } from '../../../test/support/in-process/movable-clock';
import { TestApp } from '../../../test/support/in-process/test-app';

const NEW_PASSWORD = 'hold fast to the analytical engine';

/** How long a replica may go on accepting a touchpoint that has been disabled (contract: at most one second). */
const REVOCATION = { seconds: 1 };

const WRITTEN = ['consumer', 'identifier', 'credential', 'session', 'challenge', 'login_attempt', 'idempotency_record'];

const codeOf = (client: ApiClient) => client.headers['X-Touchpoint-Code'] ?? '';

interface Prepared {
  client: ApiClient;
  line: string;
  body: object;
}

describe('a request that is kept waiting', () => {
  const clock = new MovableClock();
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.start({ clock });
  });
  afterAll(() => app.close());

  /** Everything that a request could have written. */
  const contents = () =>
    Promise.all(WRITTEN.map((table) => app.dataSource.query(`SELECT t::text FROM ${table} t ORDER BY 1`)));

  const disable = async ({ client }: Prepared) => {
    await app.touchpoints.update(codeOf(client), { enabled: false }, SERVICE_ORIGIN);
    clock.advance(REVOCATION);
  };
  const replaceKey = async ({ client }: Prepared) => {
    await app.touchpoints.rotateKey(codeOf(client), 0, SERVICE_ORIGIN);
    clock.advance(REVOCATION);
  };
  const logOut = async ({ client }: Prepared) => {
    expect((await client.post('/api/v1/logout')).status).toBe(204);
  };

  const forConsumer = async (line: string, body: object): Promise<Prepared> => {
    const client = await app.client();
    return { client: client.as((await register(client)).token), line, body };
  };
  const ofConsumer: Record<string, () => Promise<Prepared>> = {
    'PATCH /me': () => forConsumer('PATCH /api/v1/me', { firstName: 'Augusta' }),
    'POST /password/change': () =>
      forConsumer('POST /api/v1/password/change', { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }),
    'POST /verifications/email/confirm': async () => {
      const client = await app.client();
      const { token, email } = await register(client);
      expect((await client.as(token).post('/api/v1/verifications/email/request')).status).toBe(202);
      const code = await codeSentTo(app, email);
      return { client: client.as(token), line: 'POST /api/v1/verifications/email/confirm', body: { code } };
    },
  };
  const ofTouchpoint: Record<string, () => Promise<Prepared>> = {
    'POST /register': async () => ({ client: await app.client(), line: 'POST /api/v1/register', body: newPerson() }),
    'POST /register with an Idempotency-Key': async () => {
      const client = (await app.client()).with({ 'Idempotency-Key': 'held' });
      return { client, line: 'POST /api/v1/register', body: newPerson() };
    },
    'POST /register/complete': async () => {
      const client = await app.client({ channelProof: ChannelProof.Email });
      const { password, ...person } = newPerson();
      const { body } = await client.post('/api/v1/register', person);
      const code = await codeSentTo(app, person.email);
      const completion = { registrationId: body.registrationId, code, password };
      return { client, line: 'POST /api/v1/register/complete', body: completion };
    },
    'POST /login': async () => {
      const client = await app.client();
      const { email } = await register(client);
      return { client, line: 'POST /api/v1/login', body: { identifier: email, password: PASSWORD } };
    },
    'POST /identify': async () => {
      const client = await app.client();
      const provider = { issuer: 'https://id.example', audience: 'shop', keys: { uri: 'https://id.example/jwks' } };
      const providers = app.nest.get(IdentityProvidersService);
      await providers.add(codeOf(client), { ...provider, trustsEmail: false }, SERVICE_ORIGIN);
      return { client, line: 'POST /api/v1/identify', body: { assertion: 'not.an.assertion' } };
    },
  };
  const all = Object.entries({ ...ofConsumer, ...ofTouchpoint });

  async function refusedAfter(prepared: Prepared, end: (prepared: Prepared) => Promise<void>) {
    const { client, line, body } = prepared;
    const held = await HeldRequest.begin(app.baseUrl, line, client.headers, body);
    await end(prepared);
    const before = await contents();
    const { status, body: problem } = await held.finish();
    expect(await contents()).toEqual(before);
    return [status, (JSON.parse(problem) as { code?: string }).code];
  }

  it.each(Object.entries(ofConsumer))('does nothing by %s for a session that ended meanwhile', async (_, prepare) => {
    expect(await refusedAfter(await prepare(), logOut)).toEqual([401, 'UNAUTHENTICATED']);
  });

  it.each(all)('does nothing by %s for a touchpoint that was disabled meanwhile', async (_, prepare) => {
    expect(await refusedAfter(await prepare(), disable)).toEqual([401, 'TOUCHPOINT_UNAUTHORIZED']);
  });

  it.each(all)('does nothing by %s for a touchpoint key that was replaced meanwhile', async (_, prepare) => {
    expect(await refusedAfter(await prepare(), replaceKey)).toEqual([401, 'TOUCHPOINT_UNAUTHORIZED']);
  });

  it('hears of the touchpoint first when the session has ended too, and the body is none', async () => {
    const prepared = await forConsumer('PATCH /api/v1/me', []);
    const ended = refusedAfter(prepared, async () => {
      await logOut(prepared);
      await disable(prepared);
    });
    expect(await ended).toEqual([401, 'TOUCHPOINT_UNAUTHORIZED']);
  });

  it('is answered as ever when nothing has ended', async () => {
    const { client, line, body } = await forConsumer('PATCH /api/v1/me', { firstName: 'Augusta' });
    const held = await HeldRequest.begin(app.baseUrl, line, client.headers, body);
    clock.advance({ seconds: 10 });
    expect(await held.finish()).toMatchObject({ status: 200 });
  });

  it('costs no second look at the session when its body came with it', async () => {
    const { client, line, body } = await forConsumer('PATCH /api/v1/me', { firstName: 'Augusta' });
    const query = jest.spyOn(app.dataSource, 'query');
    expect((await client.send('PATCH', line.split(' ')[1] ?? '', body)).status).toBe(200);
    const looks = query.mock.calls.filter(([statement]) => /^SELECT 1 FROM session(?!.* FOR )/s.test(statement));
    query.mockRestore();
    expect(looks).toHaveLength(1);
  });

  describe('for a password to be hashed', () => {
    /** What happens while the hashing threads are busy. */
    function meanwhile(work: 'hash' | 'compare', act: () => Promise<unknown>): void {
      const pool = app.nest.get(HashingPool);
      const perform = pool[work].bind(pool) as (...task: unknown[]) => Promise<never>;
      const spy = jest.spyOn(pool, work).mockImplementation(async (...task: unknown[]) => {
        spy.mockRestore();
        await act();
        return perform(...task);
      });
    }

    it.each<[string, 'hash' | 'compare']>([
      ['POST /register', 'hash'],
      ['POST /register/complete', 'hash'],
      ['POST /login', 'compare'],
      ['POST /password/change', 'compare'],
      ['POST /password/change', 'hash'],
    ])('does nothing by %s for a touchpoint that was disabled meanwhile (%s)', async (name, work) => {
      const prepared = await ({ ...ofConsumer, ...ofTouchpoint }[name] as () => Promise<Prepared>)();
      meanwhile(work, () => disable(prepared));
      const answer = await prepared.client.post(prepared.line.split(' ')[1] ?? '', prepared.body);
      expect([answer.status, answer.body.code]).toEqual([401, 'TOUCHPOINT_UNAUTHORIZED']);
    });

    it('changes no password for a session that ended meanwhile', async () => {
      const prepared = await (ofConsumer['POST /password/change'] as () => Promise<Prepared>)();
      meanwhile('hash', () => logOut(prepared));
      const answer = await prepared.client.post('/api/v1/password/change', prepared.body);
      expect([answer.status, answer.body.code]).toEqual([401, 'UNAUTHENTICATED']);
      const passwords = await app.dataSource.query<{ version: number }[]>(
        'SELECT version FROM credential JOIN session USING (consumer_id) WHERE revoked_at IS NOT NULL AND version > 1',
      );
      expect(passwords).toEqual([]);
    });
  });

  // The embedded database runs one transaction at a time.
  if (process.env.TEST_DATABASE_URL !== undefined)
    it('for another change of the same consumer changes nothing for a session that ended meanwhile', async () => {
      const client = await app.client();
      const { token, customerId } = await register(client);
      let patched: ReturnType<ApiClient['patch']> | undefined;
      await app.dataSource.transaction(async (manager) => {
        await manager.query('SELECT 1 FROM consumer WHERE id = $1 FOR NO KEY UPDATE', [customerId]);
        patched = client.as(token).patch('/api/v1/me', { firstName: 'Augusta' });
        // Long enough to pass the guards and to wait for the lock.
        await setTimeout(300);
        expect((await client.as(token).post('/api/v1/logout')).status).toBe(204);
      });
      expect((await patched)?.body).toMatchObject({ code: 'UNAUTHENTICATED' });
    });
});
