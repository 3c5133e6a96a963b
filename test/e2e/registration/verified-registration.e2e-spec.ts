import type { ApiClient } from '../../support/api/api-client';
import { newPerson, PASSWORD, register, type SessionBody } from '../../support/api/consumers';
import { codeSentTo, delivered, wrongCode } from '../../support/messages/mailbox';
import { SmtpSink } from '../../support/messages/smtp-sink';
import { TestService } from '../../support/service/test-service';
import { until } from '../../support/until';

interface Started {
  registrationId: string;
  channel: string;
  destination: string;
  expiresAt: string;
  resendAfter: string;
}

describe('registration with a channel proof', () => {
  let app: TestService;
  let client: ApiClient;

  beforeAll(async () => {
    app = await TestService.withStoppedClock();
    client = await app.client({ channelProof: 'EMAIL' });
  });

  const begin = async (fields: Record<string, unknown> = {}) => {
    const person = newPerson({ password: undefined, ...fields });
    const { status, body } = await client.post<Started>('/api/v1/register', person);
    expect(status).toBe(202);
    return { person, ...body };
  };
  const complete = (registrationId: string, code: string, fields: object = {}, by: ApiClient = client) =>
    by.post<SessionBody & { code: string; errors: unknown }>('/api/v1/register/complete', {
      registrationId,
      code,
      password: PASSWORD,
      ...fields,
    });
  const countConsumers = async () => {
    const [row] = await app.query<{ count: number }>('SELECT count(*)::int AS count FROM consumer');
    return row?.count;
  };

  it('makes a verified consumer of whoever has the code, and nothing before', async () => {
    const before = await countConsumers();
    const { person, registrationId, ...started } = await begin();
    expect(started).toEqual({
      channel: 'email',
      destination: 'a***@e***.com',
      expiresAt: new Date(app.clock.epochMs() + 600_000).toISOString(),
      resendAfter: new Date(app.clock.epochMs() + 60_000).toISOString(),
    });
    expect(await countConsumers()).toBe(before);

    const { status, body } = await complete(registrationId, await codeSentTo(app, person.email));
    expect(status).toBe(201);
    expect(Object.keys(body).sort()).toEqual(['customerId', 'token']);
    const me = await client.as(body.token).get('/api/v1/me');
    expect(me.body).toMatchObject({ email: person.email, emailVerified: true, hasPassword: true });
    const login = await client.post('/api/v1/login', { identifier: person.email, password: PASSWORD });
    expect(login.status).toBe(200);
  });

  it('proves a phone number at a touchpoint that asks for it', async () => {
    const sms = await app.client({
      channelProof: 'SMS',
      authenticationMode: 'OTP',
    });
    const person = newPerson({ phone: '+12025550147', password: undefined });
    const { body } = await sms.post<Started>('/api/v1/register', person);
    expect(body).toMatchObject({ channel: 'sms', destination: '+12***47' });
    const code = await codeSentTo(app, '+12025550147');
    const { status, body: session } = await complete(body.registrationId, code, { password: undefined }, sms);
    expect(status).toBe(201);
    const me = await sms.as(session.token).get('/api/v1/me');
    expect(me.body).toMatchObject({ phone: '+12025550147', phoneVerified: true, emailVerified: false });
  });

  it('requires the address of its channel, and judges a password that comes early', async () => {
    const { status, body } = await client.post('/api/v1/register', newPerson({ email: undefined, password: 'short' }));
    expect(status).toBe(400);
    expect(body.errors).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ field: 'email', code: 'REQUIRED' }),
        expect.objectContaining({ field: 'password', code: 'TOO_SHORT' }),
      ]),
    );
  });

  it('answers alike for an address that has an owner, who is told, and whose code never comes', async () => {
    const { person, registrationId } = await begin();
    await complete(registrationId, await codeSentTo(app, person.email));
    await app.clock.advance({ minutes: 2 });

    const again = await client.post<Started>('/api/v1/register', newPerson({ email: person.email }));
    const fresh = await client.post<Started>('/api/v1/register', newPerson());
    expect(again.status).toBe(fresh.status);
    expect(Object.keys(again.body)).toEqual(Object.keys(fresh.body));
    expect(again.body.destination).toBe(fresh.body.destination);
    await delivered(app, person.email, 'account-exists');
    expect(await delivered(app, person.email)).toHaveLength(1);
    for (let guess = 0; guess < 5; guess += 1) {
      expect((await complete(again.body.registrationId, `00000${guess}`)).body.code).toBe('CODE_INVALID');
    }
    expect((await complete(again.body.registrationId, '000005')).body.code).toBe('CODE_ATTEMPTS_EXCEEDED');
  });

  it('takes an address from a consumer who only claims it', async () => {
    const instant = await app.client();
    const claimant = await register(instant, { phone: '+12025550148' });
    const { registrationId } = await begin({ email: claimant.email });
    const { status, body } = await complete(registrationId, await codeSentTo(app, claimant.email));
    expect(status).toBe(201);
    expect((await client.as(body.token).get('/api/v1/me')).body).toMatchObject({
      email: claimant.email,
      emailVerified: true,
    });
    const loser = await instant.as(claimant.token).get('/api/v1/me');
    expect(loser.body).toMatchObject({ email: null, phone: '+12025550148' });
  });

  it('does not spend the code on a rejected password', async () => {
    const { person, registrationId } = await begin();
    const code = await codeSentTo(app, person.email);
    const rejected = await complete(registrationId, code, { password: person.email });
    expect(rejected.status).toBe(400);
    expect(rejected.body.errors).toEqual([expect.objectContaining({ field: 'password', code: 'INVALID_VALUE' })]);
    expect((await complete(registrationId, code, { password: undefined })).body.code).toBe('VALIDATION_FAILED');
    expect((await complete(registrationId, code)).status).toBe(201);
    expect((await complete(registrationId, code)).body.code).toBe('CODE_EXPIRED');
  });

  it('refuses the fifth wrong guess with 400, the sixth with 410, and then also the right code', async () => {
    const { person, registrationId } = await begin();
    const code = await codeSentTo(app, person.email);
    expect((await complete(registrationId, '12345')).body.code).toBe('VALIDATION_FAILED');
    for (let guess = 0; guess < 5; guess += 1) {
      expect((await complete(registrationId, wrongCode(code))).status).toBe(400);
    }
    expect((await complete(registrationId, wrongCode(code))).status).toBe(410);
    expect((await complete(registrationId, code)).body.code).toBe('CODE_ATTEMPTS_EXCEEDED');
  });

  it('knows no code after ten minutes, at another touchpoint, or under an unknown id', async () => {
    const { person, registrationId } = await begin();
    const code = await codeSentTo(app, person.email);
    const other = await app.client({ channelProof: 'EMAIL' });
    expect((await complete(registrationId, code, {}, other)).body.code).toBe('CODE_EXPIRED');
    expect((await complete('unknown', code)).body.code).toBe('CODE_EXPIRED');
    await app.clock.advance({ minutes: 10 });
    expect((await complete(registrationId, code)).body.code).toBe('CODE_EXPIRED');
  });

  it('sends to one address once a minute and five times an hour, whoever asks', async () => {
    const { person } = await begin();
    const again = () => client.post('/api/v1/register', newPerson({ email: person.email }));
    const tooSoon = await again();
    expect(tooSoon.status).toBe(429);
    expect(tooSoon.body.code).toBe('RESEND_TOO_SOON');
    expect(tooSoon.headers.get('retry-after')).toBe('60');
    for (let send = 0; send < 4; send += 1) {
      await app.clock.advance({ minutes: 1 });
      expect((await again()).status).toBe(202);
    }
    await app.clock.advance({ minutes: 1 });
    const tooMany = await again();
    expect(tooMany.body.code).toBe('RESEND_TOO_SOON');
    expect(tooMany.headers.get('retry-after')).toBe(String(55 * 60));
    await app.clock.advance({ minutes: 55 });
    expect((await again()).status).toBe(202);
  });

  it('keeps no code in clear, neither in its tables nor in the queue', async () => {
    const { person } = await begin();
    const code = await codeSentTo(app, person.email);
    const tables = ['challenge', 'pending_registration', 'send_limit', 'message'];
    for (const table of tables) {
      const rows = await app.query<{ row: string }>(`SELECT ${table}::text AS row FROM ${table}`);
      expect(rows.filter(({ row }) => new RegExp(`\\b${code}\\b`).test(row))).toEqual([]);
    }
  });
});

describe('registration with a channel proof and a mail server', () => {
  let app: TestService;
  let sink: SmtpSink;

  beforeAll(async () => {
    sink = await SmtpSink.start();
    app = await TestService.start({
      env: { SMTP_URL: sink.url, MAIL_FROM: 'service@example.com', LOG_LEVEL: 'trace' },
    });
  });
  afterAll(async () => {
    await sink.close();
  });

  it('goes from the first step by the code in the mail to the login, and logs no code and no address', async () => {
    const client = await app.client({ channelProof: 'EMAIL' });
    const person = newPerson({ password: undefined });
    const { body } = await client.post<Started>('/api/v1/register', person);
    const mail = await until(() => sink.received[0]);
    expect(mail.recipients).toEqual([person.email]);
    const code = /^[0-9]{6}$/m.exec(mail.raw.replaceAll('\r', ''))?.[0] ?? '';
    const completion = { registrationId: body.registrationId, code, password: PASSWORD };
    expect((await client.post('/api/v1/register/complete', completion)).status).toBe(201);
    const login = await client.post('/api/v1/login', { identifier: person.email, password: PASSWORD });
    expect(login.status).toBe(200);
    expect(app.log).toContain('/api/v1/register/complete');
    expect(app.log.split('\n').filter((line) => line.includes(code) || line.includes(person.email))).toEqual([]);
  });
});
