import { randomUUID } from 'node:crypto';
import type { ApiClient } from '../../support/api/api-client';
import { register } from '../../support/api/consumers';
import { type ListedSession, logIn } from '../../support/api/traceable-person';
import { TestService } from '../../support/service/test-service';

describe('the commands about consumers', () => {
  let app: TestService;
  let replica: TestService;
  let client: ApiClient;

  beforeAll(async () => {
    app = await TestService.shared();
    replica = await TestService.start({ replicaOf: app });
    client = await app.client();
  });

  const cli = (...args: string[]) => app.cli('consumer', ...args);
  const json = async <T>(...args: string[]): Promise<T> => {
    const { exitCode, stdout, stderr } = await cli(...args, '--json');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    return JSON.parse(stdout) as T;
  };

  it('show a consumer by customer id, e-mail address and phone number in any spelling', async () => {
    const { customerId, token, email } = await register(client, { phone: '+12025550177' });
    const shown = await json<{ profile: object; sessions: ListedSession[]; auditTrail: { type: string }[] }>(
      'show',
      customerId,
    );
    expect(shown.profile).toEqual((await client.as(token).get('/api/v1/me')).body);
    expect(shown.sessions).toEqual([
      expect.objectContaining({ touchpoint: client.headers['X-Touchpoint-Code'], endedAt: null, isLive: true }),
    ]);
    expect(shown.auditTrail.map(({ type }) => type)).toEqual(['consumer.registered']);

    expect(await json('show', ` ${email.toUpperCase()}`)).toEqual(shown);
    expect(await json('show', '+1 (202) 555-0177')).toEqual(shown);
    expect((await cli('show', email)).stdout).toContain(`customerId: ${customerId}`);
    const unknown = randomUUID();
    expect(await cli('show', unknown)).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `There is no consumer ${unknown}\n`,
    });
    expect((await cli('show', 'a\nb\u001b[1m')).stderr).toBe('There is no consumer a b\\u001b[1m\n');
    expect((await cli('show', '')).stderr).toBe(
      'No consumer was named: give a customer id, an e-mail address or a phone number\n',
    );
  });

  it('show the newest 1,000 events as `audit list` does, and export all of them', async () => {
    const { customerId } = await register(client);
    const events = (from: number, to: number) =>
      app.query(
        `INSERT INTO audit_event (id, occurred_at, type, consumer_id, details)
         SELECT gen_random_uuid(), now() + n / 7 * interval '1 microsecond', 'test', $1, jsonb_build_object('n', n)
         FROM generate_series($2::int, $3::int) n`,
        [customerId, from, to],
      );
    interface Shown {
      auditTrail: { details: { n?: number } }[];
      auditTrailIsCut: boolean;
    }
    await events(1, 999);
    const whole = await json<Shown>('show', customerId);
    const { stdout } = await app.cli('audit', 'list', '--consumer', customerId, '--json');
    expect(whole).toMatchObject({ auditTrailIsCut: false, auditTrail: JSON.parse(stdout) as object[] });
    await events(1_000, 2_500);
    const cut = await json<Shown>('show', customerId);
    expect([cut.auditTrailIsCut, cut.auditTrail.length]).toEqual([true, 1_000]);
    expect(cut.auditTrail.at(-1)?.details.n).toBeGreaterThan(2_490);
    const { auditTrail } = await json<Shown>('export', customerId);
    const numbers = auditTrail.flatMap(({ details }) => details.n ?? []).sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 2_500 }, (_, index) => index + 1));
    expect(auditTrail[0]).not.toHaveProperty('operator');
  });

  it('end all sessions of a consumer at once, on every replica', async () => {
    const { customerId, token, email } = await register(client);
    const second = (await logIn(client, email)).body.token;
    const { body } = await client.as(token).post('/api/v1/logout');
    expect(body).toBe('');
    const third = (await logIn(client, email)).body.token;
    const live = (await json<ListedSession[]>('sessions', customerId)).filter(({ isLive }) => isLive);
    expect(live).toHaveLength(2);

    expect(await json('sessions', 'revoke', email)).toEqual({ customerId, revoked: 2 });
    for (const baseUrl of [app.baseUrl, replica.baseUrl]) {
      for (const ended of [second, third]) {
        expect((await client.at(baseUrl).as(ended).get('/api/v1/me')).status).toBe(401);
      }
    }
    const sessions = await json<ListedSession[]>('sessions', customerId);
    expect(sessions.map(({ isLive, endedAt }) => [isLive, typeof endedAt])).toEqual(Array(3).fill([false, 'string']));
    const { auditTrail } = await json<{ auditTrail: object[] }>('show', customerId);
    expect(auditTrail.at(-1)).toMatchObject({ type: 'sessions.revoked', actor: 'cli', details: { count: 2 } });
    expect((await logIn(client, email)).status).toBe(200);
  });
});
