import type { ApiClient } from '../../support/api/api-client';
import { newPerson, PASSWORD, register } from '../../support/api/consumers';
import { traceablePerson } from '../../support/api/traceable-person';
import { begin } from '../../support/api/recovery';
import { codeSentTo } from '../../support/messages/mailbox';
import { SmtpSink } from '../../support/messages/smtp-sink';
import { TestService } from '../../support/service/test-service';
import { until } from '../../support/until';

describe('commands that export a consumer', () => {
  let app: TestService;
  let sink: SmtpSink;
  let client: ApiClient;

  beforeAll(async () => {
    sink = await SmtpSink.start();
    // E-mail waits in the queue, while text messages lie in the mailbox.
    sink.behaviour = 'hang';
    app = await TestService.start({ env: { SMTP_URL: sink.url, MAIL_FROM: 'service@example.com' } });
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

  it('export everything but secrets, and leave an event', async () => {
    const { phone, ...person } = traceablePerson();
    const { customerId, token } = await register(client, { ...person, phone });
    await client.as(token).post('/api/v1/verifications/sms/request');
    const verified = await client
      .as(token)
      .post('/api/v1/verifications/sms/confirm', { code: await codeSentTo(app, phone) });
    await client.as(token).post('/api/v1/verifications/email/request');
    await client
      .with({ 'X-Consumer-IP': '203.0.113.9' })
      .post('/api/v1/login', { identifier: phone, password: PASSWORD });
    const proving = await app.client({ channelProof: 'SMS' });
    await proving.post(
      '/api/v1/register',
      newPerson({ password: undefined, phone: '+12025550188', email: person.email }),
    );

    await app.query('DELETE FROM send_limit');
    await begin(client, phone);
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
      openRecoveries: [{ channel: 'sms', destination: phone }],
      queuedMessages: expect.arrayContaining([
        expect.objectContaining({ kind: 'verification-code', channel: 'email' }),
      ]) as object,
      auditTrail: expect.arrayContaining([
        expect.objectContaining({ type: 'consumer.exported', actor: 'cli' }),
      ]) as object,
    });
    expect(text).not.toMatch(/\$2[ab]\$|digest|Buffer|sealed/i);
    expect(text).not.toContain((await waitingMessage(person.email)).code);
  });
});
