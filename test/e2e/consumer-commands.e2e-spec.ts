import { MessageList } from '../../src/platform/messages/message-list';
import { MessageSeal } from '../../src/platform/messages/message-seal';
import type { QueuedMessage } from '../../src/platform/messages/message-queue';
import { newId, randomDigits, randomSecret } from '../../src/platform/random';
import { ChannelProof } from '../../src/touchpoints/touchpoint.entity';
import type { ApiClient } from '../support/api-client';
import { buildCli, runCli } from '../support/cli';
import { newPerson, PASSWORD, register } from '../support/consumers';
import { codeSentTo, delivered } from '../support/mailbox';
import { TestApp } from '../support/test-app';
import { tracesOf } from '../support/traces';

/** Nobody listens there: e-mail waits in the queue, while text messages lie in the mailbox. */
const NO_MAIL_SERVER = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'service@example.com' };

const TIMEOUT_MS = 120_000;

interface Listed {
  sessionId: string;
  touchpoint: string;
  endedAt: string | null;
  isLive: boolean;
}

describe('the commands about consumers', () => {
  let app: TestApp;
  let replica: TestApp;
  let client: ApiClient;

  beforeAll(async () => {
    buildCli();
    app = await TestApp.start({ env: NO_MAIL_SERVER });
    replica = await TestApp.start({ replicaOf: app });
    client = await app.client();
  }, TIMEOUT_MS);
  afterAll(async () => {
    await replica.close();
    await app.close();
  });

  const cli = (...args: string[]) => runCli({ ...app.env, DATABASE_URL: app.databaseUrl }, 'consumer', ...args);
  const json = async <T>(...args: string[]): Promise<T> => {
    const { exitCode, stdout, stderr } = await cli(...args, '--json');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    return JSON.parse(stdout) as T;
  };
  const logIn = (identifier: string) =>
    client.post<{ token: string }>('/api/v1/login', { identifier, password: PASSWORD });

  /** Names and addresses that nobody else has, and nothing else contains. */
  const uniquePerson = () => {
    const unique = () => `zq${randomSecret(8).toString('hex')}`;
    return newPerson({
      firstName: unique(),
      lastName: unique(),
      email: `${unique()}@${unique()}.example`,
      phone: `+1202${randomDigits(7)}`,
    }) as ReturnType<typeof newPerson> & { phone: string };
  };

  /** The message with a code that waits for the mail server. */
  const waitingMessage = async (to: string): Promise<{ id: string; code: string }> => {
    const rows = await app.dataSource.query<{ id: string; data: QueuedMessage }[]>(
      `SELECT id, data FROM pgboss.job WHERE name = 'message-email'`,
    );
    for (const { id, data } of rows) {
      const message = app.nest.get(MessageSeal).open(id, data);
      if (message?.kind === 'verification-code' && message.to === to) return { id, code: message.code };
    }
    throw new Error('There is no code for that address');
  };

  const linkTo = (consumerId: string, subject: string) =>
    app.dataSource.query(
      `INSERT INTO external_identity (issuer, subject, consumer_id, created_at)
       VALUES ('https://issuer.example', $2, $1, now())`,
      [consumerId, subject],
    );

  it(
    'show a consumer by customer id, e-mail address and phone number in any spelling',
    async () => {
      const { customerId, token, email } = await register(client, { phone: '+12025550177' });
      const shown = await json<{ profile: object; sessions: Listed[]; auditTrail: { type: string }[] }>(
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
      const unknown = newId();
      expect(await cli('show', unknown)).toEqual({
        exitCode: 1,
        stdout: '',
        stderr: `There is no consumer ${unknown}\n`,
      });
      expect((await cli('show', 'a\nb\u001b[1m')).stderr).toBe('There is no consumer a b\\u001b[1m\n');
      expect((await cli('show', '')).stderr).toBe(
        'No consumer was named: give a customer id, an e-mail address or a phone number\n',
      );
    },
    TIMEOUT_MS,
  );

  it(
    'show the newest 1,000 events as `audit list` does, and export all of them',
    async () => {
      const { customerId } = await register(client);
      const events = (from: number, to: number) =>
        app.dataSource.query(
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
      const { stdout } = await runCli(
        { ...app.env, DATABASE_URL: app.databaseUrl },
        ...['audit', 'list', '--consumer', customerId, '--json'],
      );
      expect(whole).toMatchObject({ auditTrailIsCut: false, auditTrail: JSON.parse(stdout) as object[] });
      await events(1_000, 2_500);
      const cut = await json<Shown>('show', customerId);
      expect([cut.auditTrailIsCut, cut.auditTrail.length]).toEqual([true, 1_000]);
      expect(cut.auditTrail.at(-1)?.details.n).toBeGreaterThan(2_490);
      const { auditTrail } = await json<Shown>('export', customerId);
      const numbers = auditTrail.flatMap(({ details }) => details.n ?? []).sort((a, b) => a - b);
      expect(numbers).toEqual(Array.from({ length: 2_500 }, (_, index) => index + 1));
      expect(auditTrail[0]).not.toHaveProperty('operator');
    },
    TIMEOUT_MS,
  );

  it(
    'export everything but secrets, and leave an event',
    async () => {
      const { phone, ...person } = uniquePerson();
      const { customerId, token } = await register(client, { ...person, phone });
      await client.as(token).post('/api/v1/verifications/sms/request');
      const verified = await client
        .as(token)
        .post('/api/v1/verifications/sms/confirm', { code: await codeSentTo(app, phone) });
      await client.as(token).post('/api/v1/verifications/email/request');
      await client
        .with({ 'X-Consumer-IP': '203.0.113.9' })
        .post('/api/v1/login', { identifier: phone, password: PASSWORD });
      const proving = await app.client({ channelProof: ChannelProof.Sms });
      await proving.post(
        '/api/v1/register',
        newPerson({ password: undefined, phone: '+12025550188', email: person.email }),
      );

      await linkTo(customerId, 'subject-of-an-issuer');
      const text = JSON.stringify(await json('export', person.email));
      expect(JSON.parse(text)).toMatchObject({
        profile: { customerId, firstName: person.firstName, phone, phoneVerified: true },
        identifiers: [
          { kind: 'email', value: person.email, pending: false, verifiedAt: null },
          { kind: 'phone', value: phone, pending: false, verifiedAt: verified.body.verifiedAt },
        ],
        externalIdentities: [{ issuer: 'https://issuer.example', subject: 'subject-of-an-issuer' }],
        sessions: [{ isLive: true }, { isLive: true }],
        knownAddresses: [{ lastLoginAt: expect.any(String) as string }],
        openChallenges: [{ channel: 'email', destination: person.email }],
        pendingRegistrations: [{ channel: 'sms', destination: '+12***88' }],
        queuedMessages: [{ kind: 'verification-code', channel: 'email' }],
        auditTrail: expect.arrayContaining([
          expect.objectContaining({ type: 'consumer.exported', actor: 'cli' }),
        ]) as object,
      });
      expect(text).not.toMatch(/\$2[ab]\$|digest|Buffer|sealed/i);
      expect(text).not.toContain((await waitingMessage(person.email)).code);
    },
    TIMEOUT_MS,
  );

  it(
    'end all sessions of a consumer at once, on every replica',
    async () => {
      const { customerId, token, email } = await register(client);
      const second = (await logIn(email)).body.token;
      const { body } = await client.as(token).post('/api/v1/logout');
      expect(body).toBe('');
      const third = (await logIn(email)).body.token;
      const live = (await json<Listed[]>('sessions', customerId)).filter(({ isLive }) => isLive);
      expect(live).toHaveLength(2);

      expect(await json('sessions', 'revoke', email)).toEqual({ customerId, revoked: 2 });
      for (const baseUrl of [app.baseUrl, replica.baseUrl]) {
        for (const ended of [second, third]) {
          expect((await client.at(baseUrl).as(ended).get('/api/v1/me')).status).toBe(401);
        }
      }
      const sessions = await json<Listed[]>('sessions', customerId);
      expect(sessions.map(({ isLive, endedAt }) => [isLive, typeof endedAt])).toEqual(Array(3).fill([false, 'string']));
      const { auditTrail } = await json<{ auditTrail: object[] }>('show', customerId);
      expect(auditTrail.at(-1)).toMatchObject({ type: 'sessions.revoked', actor: 'cli', details: { count: 2 } });
      expect((await logIn(email)).status).toBe(200);
    },
    TIMEOUT_MS,
  );

  it(
    'erase nobody without --yes',
    async () => {
      const { customerId, token } = await register(client);
      expect(await cli('erase', customerId)).toEqual({
        exitCode: 1,
        stdout: '',
        stderr: 'Nothing was erased: erasing cannot be undone, and needs --yes\n',
      });
      expect((await client.as(token).get('/api/v1/me')).status).toBe(200);
    },
    TIMEOUT_MS,
  );

  it(
    'erase a consumer from every table and file, but for an audit trail of opaque ids',
    async () => {
      const person = uniquePerson();
      const pendingEmail = uniquePerson().email;
      const { customerId, token } = await register(client, person);
      const me = client.as(token);
      await me.post('/api/v1/verifications/sms/request');
      await me.post('/api/v1/verifications/sms/confirm', { code: await codeSentTo(app, person.phone) });
      await me.post('/api/v1/verifications/email/request');
      const waiting = await waitingMessage(person.email);
      await me.post('/api/v1/verifications/email/confirm', { code: waiting.code });
      await app.dataSource.query(
        `WITH old AS (DELETE FROM pgboss.job WHERE id = $1 RETURNING *) INSERT INTO pgboss.archive SELECT *, now() FROM old`,
        [waiting.id],
      );
      await me.patch('/api/v1/me', { email: pendingEmail });
      expect((await me.post('/api/v1/verifications/email/request')).status).toBe(202);
      const proving = await app.client({ channelProof: ChannelProof.Sms });
      const stranger = newPerson({ password: undefined, phone: `+1202${randomDigits(7)}`, email: person.email });
      expect((await proving.post('/api/v1/register', stranger)).status).toBe(202);
      const withAddress = client.with({ 'X-Consumer-IP': '203.0.113.10' });
      await withAddress.post('/api/v1/login', { identifier: person.email, password: PASSWORD });
      for (let failed = 0; failed < 10; failed += 1) {
        await client.post('/api/v1/login', { identifier: person.email, password: 'not the password' });
      }
      expect((await logIn(person.email)).status).toBe(429);
      const other = await register(client);
      await client.as(other.token).post('/api/v1/verifications/email/request');
      await app.dataSource.query(`UPDATE pgboss.job SET data = data || '{"key": "00000000"}' WHERE id = $1`, [
        (await waitingMessage(other.email)).id,
      ]);
      // A former value, and what the planner keeps of all values.
      await me.patch('/api/v1/me', { firstName: 'Ada' });
      await me.patch('/api/v1/me', { firstName: person.firstName });
      await app.dataSource.query('ANALYZE');
      const subject = `subject-${newId()}`;
      await linkTo(customerId, subject);
      const words = [person.firstName, person.lastName, person.email, person.phone, pendingEmail, subject];
      expect(await tracesOf(app, words)).not.toEqual([]);
      const masked = await app.dataSource.query<object[]>(
        `SELECT 1 FROM audit_event WHERE consumer_id = $1 AND details ? 'destination'`,
        [customerId],
      );

      const report = await json<{ erased: Record<string, number>; left: object }>('erase', person.email, '--yes');
      expect(report).toEqual({
        customerId,
        erased: {
          identifiers: 3,
          externalIdentities: 1,
          sessions: 2,
          knownAddresses: 1,
          challenges: 1,
          pendingRegistrations: 1,
          // The codes to the verified and to the pending address.
          queuedMessages: 2,
          auditDestinations: masked.length,
          mailboxFiles: 1,
        },
        left: {
          unreadableMessages: 1,
          messagesInDelivery: expect.any(Number) as number,
          tablesNotRewritten: [],
        },
      });
      expect(await tracesOf(app, words)).toEqual([]);

      for (const baseUrl of [app.baseUrl, replica.baseUrl]) {
        expect((await me.at(baseUrl).get('/api/v1/me')).body.code).toBe('UNAUTHENTICATED');
      }
      for (const identifier of [customerId, person.email, person.phone]) {
        expect(await logIn(identifier)).toMatchObject({ status: 401, body: { code: 'INVALID_CREDENTIALS' } });
      }
      expect(await cli('erase', customerId, '--yes')).toEqual({
        exitCode: 1,
        stdout: '',
        stderr: `There is no consumer ${customerId}\n`,
      });
      const tombstone = await app.dataSource.query<{ type: string; text: string }[]>(
        'SELECT type, details::text AS text FROM audit_event WHERE consumer_id = $1 ORDER BY occurred_at, id',
        [customerId],
      );
      expect(tombstone.at(-1)).toEqual({ type: 'consumer.erased', text: '{}' });
      expect(tombstone.map(({ text }) => text).join()).not.toContain('***');

      const again = await register(client, person);
      expect(again.customerId).not.toBe(customerId);
      expect((await client.as(again.token).post('/api/v1/verifications/email/request')).status).toBe(202);
      expect((await logIn(person.email)).status).toBe(200);
    },
    TIMEOUT_MS,
  );

  it(
    'erase the messages to addresses that the consumer had before',
    async () => {
      const [former, present] = [uniquePerson(), uniquePerson()];
      const { customerId, token } = await register(client, former);
      const me = client.as(token);
      const prove = async ({ email, phone }: typeof former) => {
        await me.post('/api/v1/verifications/email/request');
        await me.post('/api/v1/verifications/email/confirm', { code: (await waitingMessage(email)).code });
        await me.post('/api/v1/verifications/sms/request');
        await me.post('/api/v1/verifications/sms/confirm', { code: await codeSentTo(app, phone) });
      };
      await prove(former);
      await me.patch('/api/v1/me', { email: present.email, phone: present.phone });
      await prove(present);
      await delivered(app, former.phone, 'identifier-changed');
      const sentTo = async (to: string) => (await app.nest.get(MessageList).list({ to })).map(({ kind }) => kind);
      for (const address of [former.email, former.phone]) {
        expect(await sentTo(address)).toEqual(['verification-code', 'identifier-changed']);
      }
      const { queuedMessages } = await json<{ queuedMessages: object[] }>('export', customerId);
      expect(queuedMessages).toHaveLength(3);
      const { erased } = await json<{ erased: object }>('erase', customerId, '--yes');
      expect(erased).toMatchObject({ queuedMessages: 3, mailboxFiles: 3 });
      for (const { email, phone } of [former, present]) {
        expect([...(await sentTo(email)), ...(await sentTo(phone))]).toEqual([]);
      }
      expect(await tracesOf(app, [former.email, former.phone])).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'leave alone what another consumer has proven',
    async () => {
      const owner = uniquePerson();
      const { token } = await register(client, owner);
      await client.as(token).post('/api/v1/verifications/sms/request');
      const { phone } = owner;
      const claimant = await register(client, uniquePerson());
      expect((await client.as(claimant.token).patch('/api/v1/me', { phone })).status).toBe(200);
      const confirmed = await client
        .as(token)
        .post('/api/v1/verifications/sms/confirm', { code: await codeSentTo(app, phone) });
      expect(confirmed.status).toBe(200);
      await json('erase', claimant.customerId, '--yes');
      expect((await client.as(token).get('/api/v1/me')).body).toMatchObject({ phone, phoneVerified: true });
      expect(await codeSentTo(app, phone)).toMatch(/^\d{6}$/);
    },
    TIMEOUT_MS,
  );

  it(
    'erase a consumer whose requests are running, and fail none of those',
    async () => {
      const person = uniquePerson();
      const { customerId, token } = await register(client, person);
      const me = client.as(token).with({ 'X-Consumer-IP': '203.0.113.11' });
      const requests = [
        () => me.get('/api/v1/me'),
        () => me.patch('/api/v1/me', { firstName: person.firstName, lastName: `${person.lastName}${randomDigits(3)}` }),
        () => me.patch('/api/v1/me', { email: uniquePerson().email }),
        () => me.post('/api/v1/verifications/sms/request'),
        () => me.post('/api/v1/login', { identifier: person.phone, password: PASSWORD }),
        () => me.post('/api/v1/password/change', { currentPassword: PASSWORD, newPassword: 'another horse battery' }),
      ];
      const statuses = new Set<number>();
      let erased = false;
      const loops = requests.map(async (send) => {
        while (!erased) statuses.add((await send()).status);
      });
      await json('erase', customerId, '--yes').finally(() => {
        erased = true;
      });
      await Promise.all(loops);
      expect([...statuses].filter((status) => status >= 500)).toEqual([]);
      expect(statuses).toContain(401);
      expect(await tracesOf(app, [person.firstName, person.lastName, person.phone])).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'reach an embedded database by its directory too',
    async () => {
      const apart = await TestApp.start({ env: { DATABASE_URL: '' } });
      try {
        const person = uniquePerson();
        const former = uniquePerson().email;
        const apartClient = await apart.client();
        const { customerId, token } = await register(apartClient, { ...person, email: former });
        const me = apartClient.as(token);
        const prove = async (email: string) => {
          await me.post('/api/v1/verifications/email/request');
          const code = await codeSentTo(apart, email);
          expect((await me.post('/api/v1/verifications/email/confirm', { code })).status).toBe(200);
        };
        await prove(former);
        await me.patch('/api/v1/me', { email: person.email });
        await prove(person.email);
        await delivered(apart, former, 'identifier-changed');
        const { exitCode } = await runCli(apart.env, 'consumer', 'erase', customerId, '--yes');
        expect(exitCode).toBe(0);
        const words = [person.firstName, person.lastName, person.email, person.phone, former];
        expect(await tracesOf(apart, words)).toEqual([]);
      } finally {
        await apart.close();
      }
    },
    TIMEOUT_MS,
  );
});
