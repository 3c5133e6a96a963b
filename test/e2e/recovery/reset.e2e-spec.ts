import type { ApiClient } from '../../support/api/api-client';
import { newPhone, PASSWORD, register } from '../../support/api/consumers';
import { isReplay, newKey, sendKeyed } from '../../support/api/idempotency';
import { violationsOf } from '../../support/api/problems';
import {
  begin,
  login,
  NEW_PASSWORD,
  newVerified,
  outcomeOf,
  prove,
  recover,
  recoveryCode,
  RESET,
  reset,
} from '../../support/api/recovery';
import { codeSentTo, delivered, wrongCode } from '../../support/messages/mailbox';
import { TestService } from '../../support/service/test-service';

const ME = '/api/v1/me';

describe('POST /api/v1/password/reset', () => {
  let app: TestService;
  let client: ApiClient;
  let elsewhere: ApiClient;

  beforeAll(async () => {
    app = await TestService.withStoppedClock();
    client = await app.client();
    elsewhere = client.at((await TestService.start({ replicaOf: app, clock: 'stopped' })).baseUrl);
  });

  const later = (minutes = 2) => app.clock.advance({ minutes });
  /** A consumer with a proven e-mail address who has begun to recover the account, and the code. */
  const forgetful = async (fields: Record<string, unknown> = {}) => {
    const consumer = await newVerified(app, client, fields);
    await later();
    const recoveryId = await begin(client, consumer.email);
    return { ...consumer, recoveryId, code: await recoveryCode(app, consumer.email) };
  };
  const statusOf = async (token: string, at = client) => outcomeOf(await at.as(token).get(ME));

  it('gives the account the new password, no session, and ends every session on every replica', async () => {
    const { email, customerId, token, recoveryId, code } = await forgetful();
    const tokens = [token, (await login(client, customerId, PASSWORD)).body.token];
    const { status, body, headers } = await reset(client, recoveryId, code);
    expect([status, body, headers.get('Content-Length')]).toEqual([204, '', null]);
    for (const earlier of tokens) {
      expect(await statusOf(earlier, elsewhere)).toBe('UNAUTHENTICATED');
      expect(await statusOf(earlier)).toBe('UNAUTHENTICATED');
    }
    expect(outcomeOf(await login(client, email, PASSWORD))).toBe('INVALID_CREDENTIALS');
    for (const identifier of [email, customerId]) {
      expect(outcomeOf(await login(elsewhere, identifier, NEW_PASSWORD))).toBe('200');
    }
    expect(outcomeOf(await reset(client, recoveryId, code))).toBe('CODE_EXPIRED');
  });

  it('proves the address where it was only claimed', async () => {
    const { email } = await register(client);
    await recover(app, client, email);
    const { body } = await login(client, email, NEW_PASSWORD);
    expect((await client.as(body.token).get(ME)).body).toMatchObject({ email, emailVerified: true });
  });

  it('gives a consumer without a password the first one', async () => {
    const otp = await app.client({ authenticationMode: 'OTP' });
    const { email } = await register(otp, { password: undefined });
    await recover(app, client, email);
    const { body } = await login(client, email, NEW_PASSWORD);
    expect((await client.as(body.token).get(ME)).body).toMatchObject({ hasPassword: true });
  });

  it('refuses a bad password or code without spending the code or a guess', async () => {
    const { recoveryId, code, email } = await forgetful({ lastName: 'Wollstonecraft' });
    const attempt = async (fields: object) =>
      violationsOf(await client.post(RESET, { recoveryId, code, newPassword: NEW_PASSWORD, ...fields }));
    for (const bad of ['1234567', '123456789', '1234567a', '１２３４５６７８', '']) {
      expect(await attempt({ code: bad })).toEqual(['code INVALID_FORMAT']);
    }
    expect(await attempt({ code: 12345678 })).toEqual(['code INVALID_TYPE']);
    expect(await attempt({ newPassword: 'seven77' })).toEqual(['newPassword TOO_SHORT']);
    expect(await attempt({ newPassword: 'Password@123', code: '1' })).toEqual([
      'code INVALID_FORMAT',
      'newPassword TOO_COMMON',
    ]);
    expect(violationsOf(await client.post(RESET, {}))).toEqual([
      'code REQUIRED',
      'newPassword REQUIRED',
      'recoveryId REQUIRED',
    ]);
    for (let time = 0; time < 6; time += 1) {
      expect(await attempt({ newPassword: 'WOLLSTONECRAFT' })).toEqual(['newPassword INVALID_VALUE']);
    }
    expect(await attempt({ newPassword: email })).toEqual(['newPassword INVALID_VALUE']);
    expect((await reset(client, recoveryId, code)).status).toBe(204);
  });

  it('compares with the owner’s names only after the right code, so that a stranger learns none', async () => {
    const { recoveryId, code } = await forgetful({ lastName: 'Wollstonecraft' });
    expect(outcomeOf(await reset(client, recoveryId, wrongCode(code), 'wollstonecraft'))).toBe('CODE_INVALID');
  });

  it('judges five wrong codes, of a recovery that is nobody’s like of any other', async () => {
    const { recoveryId, code } = await forgetful();
    const decoy = await begin(client, 'nobody.at.all@example.com');
    for (const [id, wrong] of [
      [recoveryId, wrongCode(code)],
      [decoy, '12345678'],
    ] as const) {
      const outcomes = [];
      for (let guess = 0; guess < 6; guess += 1) outcomes.push(outcomeOf(await reset(client, id, wrong)));
      expect(outcomes).toEqual([...Array<string>(5).fill('CODE_INVALID'), 'CODE_ATTEMPTS_EXCEEDED']);
    }
    expect(outcomeOf(await reset(client, recoveryId, code))).toBe('CODE_ATTEMPTS_EXCEEDED');
  });

  it('knows no code after ten minutes, at another touchpoint, or under an unknown id', async () => {
    const { recoveryId, code } = await forgetful();
    expect(outcomeOf(await reset(await app.client(), recoveryId, code))).toBe('CODE_EXPIRED');
    for (const unknown of ['unknown', '', '0197a3c1-0b64-7d1f-a2c8-94d5e3b7f610']) {
      expect(outcomeOf(await reset(client, unknown, code))).toBe('CODE_EXPIRED');
    }
    await later(10);
    expect(outcomeOf(await reset(client, recoveryId, code))).toBe('CODE_EXPIRED');
  });

  it('is for touchpoints with passwords, and says so before it reads the body', async () => {
    const otp = await app.client({ authenticationMode: 'OTP' });
    for (const body of ['not JSON', {}]) {
      const { status, body: problem } = await otp.post(RESET, body);
      expect([status, problem.code]).toEqual([403, 'PASSWORD_NOT_ALLOWED']);
    }
  });

  it('stays open through logins, a change of the password and one of another identifier', async () => {
    const phone = newPhone();
    const { token, email, recoveryId, code } = await forgetful();
    const me = client.as(token);
    await login(client, email, PASSWORD);
    const change = { currentPassword: PASSWORD, newPassword: 'what the thief has chosen' };
    expect((await me.post('/api/v1/password/change', change)).status).toBe(204);
    await me.patch(ME, { phone });
    await prove(app, me, 'sms', phone);
    await me.patch(ME, { phone: null, email: 'elsewhere.of.ada@example.com' });
    expect((await reset(client, recoveryId, code)).status).toBe(204);
    const { body } = await login(client, email, NEW_PASSWORD);
    expect((await client.as(body.token).get(ME)).body).toMatchObject({ email, pendingEmail: null });
  });

  it('is over for a consumer who is disabled, and looks as if it were nobody’s', async () => {
    const { email, customerId, recoveryId, code } = await forgetful();
    await later(1);
    await app.administer('consumer', 'disable', customerId, '--reason', 'a test');
    expect(outcomeOf(await reset(client, recoveryId, code))).toBe('CODE_INVALID');
    const unanswerable = await begin(client, email);
    expect(outcomeOf(await reset(client, unanswerable, '12345678'))).toBe('CODE_INVALID');
    expect(await delivered(app, email, 'recovery-code')).toHaveLength(1);
    await app.administer('consumer', 'enable', customerId);
    expect((await reset(client, recoveryId, code)).status).toBe(204);
  });

  it('ends with the identifier', async () => {
    const { token, recoveryId, code } = await forgetful();
    const me = client.as(token);
    const phone = newPhone();
    await me.patch(ME, { phone });
    await prove(app, me, 'sms', phone);
    expect((await me.patch(ME, { email: null })).status).toBe(200);
    expect(outcomeOf(await reset(client, recoveryId, code))).toBe('CODE_EXPIRED');
  });

  it('ends the other open codes and recoveries of the consumer', async () => {
    const phone = newPhone();
    const { token, email, recoveryId, code } = await forgetful({ phone });
    const me = client.as(token);
    await later(1);
    const [atShop, atOther] = [await begin(client, email), await app.client()];
    await me.post('/api/v1/verifications/sms/request');
    await codeSentTo(app, phone);
    await later(1);
    const third = await begin(atOther, email);
    const codes = await delivered(app, email, 'recovery-code', 3);
    expect((await reset(client, recoveryId, code)).status).toBe(204);
    expect(outcomeOf(await reset(client, atShop, codes[1] ?? ''))).toBe('CODE_EXPIRED');
    expect(outcomeOf(await reset(atOther, third, codes[2] ?? ''))).toBe('CODE_EXPIRED');
    const { body } = await login(client, email, NEW_PASSWORD);
    const confirmed = await client.as(body.token).post('/api/v1/verifications/sms/confirm', { code: '123456' });
    expect(confirmed.body.code).toBe('CODE_EXPIRED');
  });

  it('forgets the failed logins, those from an address that the consumer knows included', async () => {
    const { email, customerId, recoveryId, code } = await forgetful();
    const home = client.with({ 'X-Consumer-IP': '198.51.100.7' });
    expect((await login(home, email, PASSWORD)).status).toBe(200);
    for (const identifier of [email, customerId]) {
      for (const from of [home, client]) {
        for (let guess = 0; guess < 11; guess += 1) await login(from, identifier, 'a wrong guess');
        expect(outcomeOf(await login(from, identifier, PASSWORD))).toBe('LOGIN_THROTTLED');
      }
    }
    expect((await reset(client, recoveryId, code)).status).toBe(204);
    for (const identifier of [email, customerId]) {
      for (const from of [home, client, home]) {
        expect(outcomeOf(await login(from, identifier, NEW_PASSWORD))).toBe('200');
      }
    }
  });

  it('tells every proven address, and no claimed one', async () => {
    const phone = newPhone();
    const { email, recoveryId, code, customerId } = await forgetful({ phone });
    expect((await reset(client, recoveryId, code)).status).toBe(204);
    await delivered(app, email, 'password-recovered');
    expect(await app.administer('message', 'list', '--to', phone)).toEqual([]);
    const { auditTrail } = await app.administer<{ auditTrail: { type: string; details: object }[] }>(
      ...['consumer', 'show', customerId],
    );
    const details = { channel: 'email', destination: 'a***@e***.com', claimed: false, removed: [] };
    expect(auditTrail).toContainEqual(expect.objectContaining({ type: 'consumer.recovered', details }));
  });

  it('is performed once for its Idempotency-Key', async () => {
    const { email, recoveryId, code } = await forgetful();
    const key = newKey();
    const body = { recoveryId, code, newPassword: NEW_PASSWORD };
    const refused = await sendKeyed(client, key, { ...body, newPassword: 'short' }, RESET);
    expect(refused.body.code).toBe('VALIDATION_FAILED');
    const first = await sendKeyed(client, key, body, RESET);
    const again = await sendKeyed(elsewhere, key, body, RESET);
    expect([first.status, isReplay(first), again.status, isReplay(again)]).toEqual([204, false, 204, true]);
    expect((await login(client, email, NEW_PASSWORD)).status).toBe(200);
    expect(await delivered(app, email, 'password-recovered')).toHaveLength(1);
  });
});
