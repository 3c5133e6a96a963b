import { randomUUID } from 'node:crypto';
import type { ApiClient } from '../../support/api/api-client';
import { newPerson, newPhone, PASSWORD, register } from '../../support/api/consumers';
import { logIn, traceablePerson } from '../../support/api/traceable-person';
import { begin, recoveryCode } from '../../support/api/recovery';
import { codeSentTo, delivered } from '../../support/messages/mailbox';
import { SmtpSink } from '../../support/messages/smtp-sink';
import { TestService } from '../../support/service/test-service';
import { tracesOf } from '../../support/service/database/traces';
import { until } from '../../support/until';

describe('commands that erase consumers', () => {
  let app: TestService;
  let replica: TestService;
  let sink: SmtpSink;
  let client: ApiClient;

  beforeAll(async () => {
    sink = await SmtpSink.start();
    // E-mail waits in the queue, while text messages lie in the mailbox.
    sink.behaviour = 'hang';
    app = await TestService.start({ env: { SMTP_URL: sink.url, MAIL_FROM: 'service@example.com' } });
    replica = await TestService.start({ replicaOf: app });
    client = await app.client();
  });
  afterAll(() => sink.close());

  const cli = (...args: string[]) => app.cli('consumer', ...args);
  const json = async <T>(...args: string[]): Promise<T> => {
    const { exitCode, stdout, stderr } = await cli(...args, '--json');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    return JSON.parse(stdout) as T;
  };

  /** The newest message that waits for the mail server; its code is in the mail that the server has refused so far. */
  const waitingMessage = async (to: string): Promise<{ id: string; code: string }> => {
    let code: string | undefined;
    await until(() => {
      const mails = sink.received.filter(({ recipients }) => recipients.includes(to));
      code = mails.map(({ raw }) => /^([0-9]{6})\r?$/m.exec(raw)?.[1]).findLast((found) => found !== undefined);
      return code !== undefined;
    });
    const [row] = await app.query<{ id: string }>(
      `SELECT id FROM message WHERE channel = 'email' ORDER BY created_at DESC LIMIT 1`,
    );
    return { id: row?.id ?? '', code: code ?? '' };
  };

  const linkTo = (consumerId: string, subject: string) =>
    app.query(
      `INSERT INTO external_identity (issuer, subject, consumer_id, created_at)
       VALUES ('https://issuer.example', $2, $1, now())`,
      [consumerId, subject],
    );

  it('erase nobody without --yes', async () => {
    const { customerId, token } = await register(client);
    expect(await cli('erase', customerId)).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'Nothing was erased: erasing cannot be undone, and needs --yes\n',
    });
    expect((await client.as(token).get('/api/v1/me')).status).toBe(200);
  });

  it('erase a consumer from every table and file, but for an audit trail of opaque ids', async () => {
    const person = traceablePerson();
    const pendingEmail = traceablePerson().email;
    const { customerId, token } = await register(client, person);
    const me = client.as(token);
    await me.post('/api/v1/verifications/sms/request');
    await me.post('/api/v1/verifications/sms/confirm', { code: await codeSentTo(app, person.phone) });
    await me.post('/api/v1/verifications/email/request');
    const waiting = await waitingMessage(person.email);
    await me.post('/api/v1/verifications/email/confirm', { code: waiting.code });
    // Given up, it is kept for a while.
    await app.query(
      `UPDATE message SET state = 'failed', due_at = NULL, kept_until = now() + interval '30 days' WHERE id = $1`,
      [waiting.id],
    );
    await me.patch('/api/v1/me', { email: pendingEmail });
    expect((await me.post('/api/v1/verifications/email/request')).status).toBe(202);
    await app.query('DELETE FROM send_limit');
    await begin(client, person.phone);
    await recoveryCode(app, person.phone);
    const proving = await app.client({ channelProof: 'SMS' });
    const stranger = newPerson({ password: undefined, phone: newPhone(), email: person.email });
    expect((await proving.post('/api/v1/register', stranger)).status).toBe(202);
    const withAddress = client.with({ 'X-Consumer-IP': '203.0.113.10' });
    await withAddress.post('/api/v1/login', { identifier: person.email, password: PASSWORD });
    for (let failed = 0; failed < 10; failed += 1) {
      await client.post('/api/v1/login', { identifier: person.email, password: 'not the password' });
    }
    expect((await logIn(client, person.email)).status).toBe(429);
    const other = await register(client);
    await client.as(other.token).post('/api/v1/verifications/email/request');
    await app.query(`UPDATE message SET key = '00000000' WHERE id = $1`, [(await waitingMessage(other.email)).id]);
    // A former value, and what the planner keeps of all values.
    await me.patch('/api/v1/me', { firstName: 'Ada' });
    await me.patch('/api/v1/me', { firstName: person.firstName });
    await app.query('ANALYZE');
    const subject = `subject-${randomUUID()}`;
    await linkTo(customerId, subject);
    const words = [person.firstName, person.lastName, person.email, person.phone, pendingEmail, subject];
    expect(await tracesOf(app, words)).not.toEqual([]);
    const masked = await app.query<object>(
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
        recoveries: 1,
        // The codes to the verified and to the pending address.
        queuedMessages: 2,
        auditDestinations: masked.length,
        mailboxFiles: 2,
      },
      left: {
        unreadableMessages: 1,
        messagesInDelivery: expect.any(Number) as number,
        tablesNotRewritten: [],
      },
      toBeTold: expect.any(Array) as string[],
    });
    expect(await tracesOf(app, words)).toEqual([]);

    for (const baseUrl of [app.baseUrl, replica.baseUrl]) {
      expect((await me.at(baseUrl).get('/api/v1/me')).body.code).toBe('UNAUTHENTICATED');
    }
    for (const identifier of [customerId, person.email, person.phone]) {
      expect(await logIn(client, identifier)).toMatchObject({ status: 401, body: { code: 'INVALID_CREDENTIALS' } });
    }
    expect(await cli('erase', customerId, '--yes')).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `There is no consumer ${customerId}\n`,
    });
    const tombstone = await app.query<{ type: string; text: string }>(
      'SELECT type, details::text AS text FROM audit_event WHERE consumer_id = $1 ORDER BY occurred_at, id',
      [customerId],
    );
    expect(tombstone.at(-1)).toEqual({ type: 'consumer.erased', text: '{}' });
    expect(tombstone.map(({ text }) => text).join()).not.toContain('***');

    const again = await register(client, person);
    expect(again.customerId).not.toBe(customerId);
    // A code was sent to both a moment ago, but nobody knows any more.
    for (const channel of ['email', 'sms']) {
      expect((await client.as(again.token).post(`/api/v1/verifications/${channel}/request`)).status).toBe(202);
    }
    expect((await logIn(client, person.email)).status).toBe(200);
  });

  it('erase the messages to addresses that the consumer had before', async () => {
    const [former, present] = [traceablePerson(), traceablePerson()];
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
    const sentTo = async (to: string) =>
      (await app.administer<{ kind: string }[]>('message', 'list', '--to', to)).map(({ kind }) => kind);
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
  });

  it('reach an embedded database by its directory too', async () => {
    const apart = await TestService.start({ env: { DATABASE_URL: '' } });
    try {
      const person = traceablePerson();
      const former = traceablePerson().email;
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
      const { exitCode } = await apart.cli('consumer', 'erase', customerId, '--yes');
      expect(exitCode).toBe(0);
      const words = [person.firstName, person.lastName, person.email, person.phone, former];
      expect(await tracesOf(apart, words)).toEqual([]);
    } finally {
      await apart.close();
    }
  });
});
