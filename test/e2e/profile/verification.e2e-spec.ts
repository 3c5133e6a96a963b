import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApiClient } from '../../support/api/api-client';
import { newPerson, PASSWORD, register } from '../../support/api/consumers';
import { codeSentTo, delivered, wrongCode } from '../../support/messages/mailbox';
import { TestService } from '../../support/service/test-service';

describe('verification of channels', () => {
  let app: TestService;
  let client: ApiClient;

  beforeAll(async () => {
    app = await TestService.withStoppedClock();
    client = await app.client();
  });

  const newConsumer = async (fields: Record<string, unknown> = {}) => {
    const { token, email, customerId } = await register(client, fields);
    return { me: client.as(token), email, customerId };
  };
  const request = (me: ApiClient, channel = 'email') => me.post(`/api/v1/verifications/${channel}/request`);
  const confirm = (me: ApiClient, code: string, channel = 'email') =>
    me.post(`/api/v1/verifications/${channel}/confirm`, { code });
  const profileOf = async (me: ApiClient) => (await me.get('/api/v1/me')).body;
  const verify = async (me: ApiClient, email: string) => {
    expect((await request(me)).status).toBe(202);
    const answer = await confirm(me, await codeSentTo(app, email));
    expect(answer.status).toBe(200);
    return answer;
  };
  const newAddress = () => newPerson().email;

  it('verifies an e-mail address by the code that was sent there, once', async () => {
    const { me, email } = await newConsumer();
    const { body } = await request(me);
    expect(body).toEqual({
      channel: 'email',
      destination: 'a***@e***.com',
      expiresAt: new Date(app.clock.epochMs() + 600_000).toISOString(),
      resendAfter: new Date(app.clock.epochMs() + 60_000).toISOString(),
    });
    const code = await codeSentTo(app, email);
    expect((await confirm(me, wrongCode(code))).body.code).toBe('CODE_INVALID');
    expect((await confirm(me, '12 456')).body.code).toBe('VALIDATION_FAILED');
    expect((await confirm(me, code)).body).toEqual({
      channel: 'email',
      verified: true,
      verifiedAt: app.clock.now().toISOString(),
    });
    expect((await profileOf(me)).emailVerified).toBe(true);
    expect((await confirm(me, code)).body.code).toBe('CODE_EXPIRED');
    expect((await request(me)).body.code).toBe('ALREADY_VERIFIED');
  });

  it('verifies a phone number by SMS', async () => {
    const { me } = await newConsumer({ phone: '+12025550190' });
    expect((await request(me, 'sms')).status).toBe(202);
    expect((await confirm(me, await codeSentTo(app, '+12025550190'), 'sms')).status).toBe(200);
    expect(await profileOf(me)).toMatchObject({ phoneVerified: true, emailVerified: false });
  });

  it('refuses unknown channels, channels without an address, and confirmations of nothing', async () => {
    const { me } = await newConsumer();
    expect((await request(me, 'pigeon')).body.code).toBe('CHANNEL_NOT_SUPPORTED');
    expect((await request(me, 'EMAIL')).body.code).toBe('CHANNEL_NOT_SUPPORTED');
    expect((await request(me, 'sms')).body.code).toBe('CHANNEL_NOT_SET');
    expect((await confirm(me, '123456')).body.code).toBe('CODE_EXPIRED');
    expect((await request(client, 'email')).body.code).toBe('UNAUTHENTICATED');
  });

  it('ignores the body of a request, whatever it holds', async () => {
    const { me } = await newConsumer();
    expect((await me.send('POST', '/api/v1/verifications/email/request', '{"broken')).status).toBe(202);
  });

  it('ends a code when a new one is sent, and keeps the cool-down with registrations', async () => {
    const { me, email } = await newConsumer();
    await request(me);
    const first = await codeSentTo(app, email);
    expect((await request(me)).body.code).toBe('RESEND_TOO_SOON');
    const proving = await app.client({ channelProof: 'EMAIL' });
    expect((await proving.post('/api/v1/register', newPerson({ email }))).body.code).toBe('RESEND_TOO_SOON');
    await app.clock.advance({ minutes: 1 });
    await request(me);
    const second = await codeSentTo(app, email, 2);
    if (first !== second) expect((await confirm(me, first)).body.code).toBe('CODE_INVALID');
    expect((await confirm(me, second)).status).toBe(200);
  });

  it('binds a code to its consumer and its channel', async () => {
    const one = await newConsumer({ phone: '+12025550191' });
    const other = await newConsumer();
    await request(one.me);
    const code = await codeSentTo(app, one.email);
    expect((await confirm(other.me, code)).body.code).toBe('CODE_EXPIRED');
    expect((await confirm(one.me, code, 'sms')).body.code).toBe('CODE_EXPIRED');
    expect((await confirm(one.me, code)).status).toBe(200);
  });

  it('evaluates five of a hundred wrong guesses at once, and one of a hundred right ones', async () => {
    const guessing = await newConsumer();
    await request(guessing.me);
    const code = await codeSentTo(app, guessing.email);
    const wrong = await Promise.all(Array.from({ length: 100 }, () => confirm(guessing.me, wrongCode(code))));
    expect(wrong.filter(({ body }) => body.code === 'CODE_INVALID')).toHaveLength(5);
    expect((await confirm(guessing.me, code)).body.code).toBe('CODE_ATTEMPTS_EXCEEDED');

    const honest = await newConsumer();
    await request(honest.me);
    const right = await codeSentTo(app, honest.email);
    const answers = await Promise.all(Array.from({ length: 100 }, () => confirm(honest.me, right)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('replaces a verified address only when the new one is proven, and tells the former address', async () => {
    const { me, email } = await newConsumer();
    await verify(me, email);
    const next = newAddress();
    expect((await me.patch('/api/v1/me', { email: next })).body).toMatchObject({ email, pendingEmail: next });
    await verify(me, next);
    expect(await profileOf(me)).toMatchObject({ email: next, emailVerified: true, pendingEmail: null });
    await delivered(app, email, 'identifier-changed');
    const old = await client.post('/api/v1/login', { identifier: email, password: PASSWORD });
    expect(old.status).toBe(401);
  });

  it('lets an open code die when the address changes', async () => {
    const { me, email } = await newConsumer();
    await request(me);
    const code = await codeSentTo(app, email);
    await me.patch('/api/v1/me', { email: newAddress() });
    expect((await confirm(me, code)).body.code).toBe('CODE_EXPIRED');
    expect((await profileOf(me)).emailVerified).toBe(false);
  });

  it('gives an address to whoever proves it, leaves the claimant everything else, and records it', async () => {
    const claimant = await newConsumer({ phone: '+12025550192' });
    const owner = await newConsumer();
    await verify(owner.me, owner.email);
    await owner.me.patch('/api/v1/me', { email: claimant.email });
    expect((await profileOf(owner.me)).pendingEmail).toBe(claimant.email);
    await verify(owner.me, claimant.email);
    expect(await profileOf(owner.me)).toMatchObject({ email: claimant.email, emailVerified: true });
    expect(await profileOf(claimant.me)).toMatchObject({ email: null, phone: '+12025550192' });
    const events = await app.query(
      `SELECT details FROM audit_event WHERE consumer_id = $1 AND type = 'identifier.lost'`,
      [claimant.customerId],
    );
    expect(events).toEqual([{ details: { kind: 'email', provenBy: owner.customerId } }]);
  });

  it('lets one of two who prove the same address have it', async () => {
    const address = newAddress();
    const rivals = await Promise.all([newConsumer(), newConsumer()]);
    for (const { me, email } of rivals) await verify(me, email);
    const codes: string[] = [];
    for (const [index, { me }] of rivals.entries()) {
      await app.clock.advance({ minutes: 1 });
      await me.patch('/api/v1/me', { email: address });
      await request(me);
      codes.push(await codeSentTo(app, address, index + 1));
    }
    const answers = await Promise.all(rivals.map(({ me }, index) => confirm(me, codes[index] ?? '')));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('lets a removal and a proof of the same address happen only one after the other', async () => {
    for (let round = 0; round < 8; round += 1) {
      const { me, email } = await newConsumer();
      await request(me);
      const code = await codeSentTo(app, email);
      const [proof, removal] = await Promise.all([confirm(me, code), me.patch('/api/v1/me', { email: null })]);
      const outcome = `${proof.status} ${removal.status}`;
      expect(['200 409', '410 200']).toContain(outcome);
      expect((await profileOf(me)).email).toBe(proof.status === 200 ? email : null);
    }
  });

  it('tells the owner when the password changes, and ends open codes', async () => {
    const { me, email } = await newConsumer({ phone: '+12025550193' });
    await verify(me, email);
    await request(me, 'sms');
    const code = await codeSentTo(app, '+12025550193');
    const change = { currentPassword: PASSWORD, newPassword: 'hold fast to the analytical engine' };
    expect((await me.post('/api/v1/password/change', change)).status).toBe(204);
    await delivered(app, email, 'password-changed');
    expect((await confirm(me, code, 'sms')).body.code).toBe('CODE_EXPIRED');
  });

  it('writes in the language of the consumer', async () => {
    const { me, email } = await newConsumer({ locale: 'fr-CA' });
    const { status } = await request(me);
    expect(status).toBe(202);
    await codeSentTo(app, email);
    const directory = join(app.env.DATA_DIR ?? '', 'mailbox');
    const newest = (await readdir(directory)).sort().at(-1) ?? '';
    expect(await readFile(join(directory, newest), 'utf8')).toMatch(/^Content-Language: fr$/m);
  });
});
