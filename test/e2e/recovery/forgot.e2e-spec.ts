import type { ApiClient } from '../../support/api/api-client';
import { newPerson, newPhone, register, spacedPhone } from '../../support/api/consumers';
import { isReplay, newKey, sendKeyed } from '../../support/api/idempotency';
import { violationsOf } from '../../support/api/problems';
import {
  begin,
  FORGOT,
  forgot,
  newVerified,
  outcomeOf,
  prove,
  recoveryCode,
  reset,
  type Started,
} from '../../support/api/recovery';
import { allMail, delivered } from '../../support/messages/mailbox';
import { TestService } from '../../support/service/test-service';

const MEMBERS = ['recoveryId', 'channel', 'destination', 'expiresAt', 'resendAfter'];

describe('POST /api/v1/password/forgot', () => {
  let app: TestService;
  let client: ApiClient;

  beforeAll(async () => {
    app = await TestService.withStoppedClock();
    client = await app.client();
  });

  /** How many codes an address has been sent, in the queue or delivered. */
  const codesTo = async (to: string) => {
    const listed = await app.administer<{ id: string; kind: string }[]>('message', 'list', '--to', to);
    return new Set(listed.filter(({ kind }) => kind === 'recovery-code').map(({ id }) => id)).size;
  };
  const later = (minutes = 2) => app.clock.advance({ minutes });

  it('answers alike whether the address is proven, only claimed, or unknown', async () => {
    const verified = await newVerified(app, client);
    const claimed = await register(client);
    await later();
    const expected = {
      channel: 'email',
      destination: 'a***@e***.com',
      expiresAt: new Date(app.clock.epochMs() + 600_000).toISOString(),
      resendAfter: new Date(app.clock.epochMs() + 60_000).toISOString(),
    };
    for (const address of [verified.email, claimed.email, newPerson().email]) {
      const { status, body, headers } = await forgot(client, address);
      expect([status, Object.keys(body), headers.get('Cache-Control')]).toEqual([202, MEMBERS, 'no-store']);
      expect(body).toMatchObject(expected);
    }
  });

  it('sends a code to who has proven the address, or claims it and has proven nothing else', async () => {
    const verified = await newVerified(app, client);
    const claimed = await register(client);
    const phone = newPhone();
    const proven = await register(client, { phone });
    await prove(app, client.as(proven.token), 'sms', phone);
    const unknown = newPerson().email;
    const pending = newPerson().email;
    await client.as(verified.token).patch('/api/v1/me', { email: pending });
    await later();
    const addresses = [verified.email, claimed.email, proven.email, pending, unknown];
    for (const address of addresses) await begin(client, address);
    for (const address of [verified.email, claimed.email]) await delivered(app, address, 'recovery-code');
    expect(await Promise.all(addresses.map(codesTo))).toEqual([1, 1, 0, 0, 0]);
  });

  it('writes in the consumer’s language, with the touchpoint’s name, a code of eight digits and no link', async () => {
    const shop = await app.administer<{ code: string }>(
      ...['touchpoint', 'update', client.headers['X-Touchpoint-Code'] ?? '', '--name', 'Corner Shop'],
    );
    expect(shop.code).toBe(client.headers['X-Touchpoint-Code']);
    const other = await app.client();
    const { email } = await newVerified(app, other, { locale: 'de-AT' });
    await later();
    await begin(client, email);
    const code = await recoveryCode(app, email);
    expect(code).toMatch(/^[0-9]{8}$/);
    const mail = (await allMail(app)).find(({ to, kind }) => to === email && kind === 'recovery-code');
    expect(mail?.locale).toBe('de-AT');
    expect(mail?.content).toContain('Corner Shop');
    expect(mail?.content).not.toMatch(/https?:|<a\b/);
    expect(mail?.text.match(/(?<![\w-])[0-9]{6,}(?![\w-])/g)).toEqual([code, code]);
  });

  it('takes a phone number however it is written, and masks what was sent', async () => {
    const phone = newPhone();
    const { token } = await register(client, { phone, email: undefined });
    await prove(app, client.as(token), 'sms', phone);
    await later();
    const { status, body } = await forgot(client, ` ${spacedPhone(phone)} `);
    expect([status, body.channel, body.destination]).toEqual([202, 'sms', `+12***${phone.slice(-2)}`]);
    expect(await recoveryCode(app, phone)).toMatch(/^[0-9]{8}$/);
  });

  it('refuses what is neither an e-mail address nor a phone number', async () => {
    const { customerId } = await register(client);
    for (const identifier of [customerId, 'ada', '', '+1', 'ada@', 'a@b@c']) {
      expect(violationsOf(await client.post(FORGOT, { identifier }))).toEqual(['identifier INVALID_FORMAT']);
    }
    for (const identifier of [['ada@example.com'], 7, {}, true]) {
      expect(violationsOf(await client.post(FORGOT, { identifier }))).toEqual(['identifier INVALID_TYPE']);
    }
    expect(violationsOf(await client.post(FORGOT))).toEqual(['identifier REQUIRED']);
  });

  it('refuses a number that the touchpoint sends no SMS to, whoever has it', async () => {
    const norwegian = await app.client({ smsCountries: 'NO' });
    const phone = newPhone();
    await register(client, { phone });
    for (const identifier of [phone, newPhone(), '+881612345678']) {
      expect(violationsOf(await norwegian.post(FORGOT, { identifier }))).toEqual(['identifier INVALID_VALUE']);
    }
  });

  it('is for touchpoints with passwords, and says so before it reads the body', async () => {
    const otp = await app.client({ authenticationMode: 'OTP' });
    for (const body of ['not JSON', { identifier: 'ada@example.com' }]) {
      const { status, body: problem } = await otp.post(FORGOT, body);
      expect([status, problem.code]).toEqual([403, 'PASSWORD_NOT_ALLOWED']);
    }
  });

  it('sends to one address once a minute and five times an hour, known or not, whoever asks', async () => {
    const { email: known } = await newVerified(app, client);
    await later(61);
    for (const email of [known, newPerson().email]) {
      await begin(client, email);
      const tooSoon = await forgot(await app.client(), email.replace('@', '+tag@'));
      expect([outcomeOf(tooSoon), tooSoon.headers.get('Retry-After')]).toEqual(['RESEND_TOO_SOON', '60']);
      for (let send = 0; send < 4; send += 1) {
        await later(1);
        await begin(client, email);
      }
      await later(1);
      const tooMany = await forgot(client, email);
      expect([outcomeOf(tooMany), tooMany.headers.get('Retry-After')]).toEqual(['RESEND_TOO_SOON', String(55 * 60)]);
    }
    await delivered(app, known, 'recovery-code', 5);
    expect(await codesTo(known)).toBe(5);
  });

  it('shares its cool-down with the codes of other kinds', async () => {
    const { token, email } = await register(client);
    expect((await client.as(token).post('/api/v1/verifications/email/request')).status).toBe(202);
    expect(outcomeOf(await forgot(client, email))).toBe('RESEND_TOO_SOON');
    const other = newPerson();
    await begin(client, other.email);
    const proving = await app.client({ channelProof: 'EMAIL' });
    expect(outcomeOf(await proving.post('/api/v1/register', other))).toBe('RESEND_TOO_SOON');
  });

  it('leaves the codes before it good, so that a stranger who asks again does not end the owner’s', async () => {
    const { email } = await newVerified(app, client);
    await later();
    const own = await begin(client, email);
    const code = await recoveryCode(app, email);
    await later(1);
    await begin(await app.client(), email);
    expect((await reset(client, own, code)).status).toBe(204);
  });

  it('is performed once for its Idempotency-Key', async () => {
    const { email } = await newVerified(app, client);
    await later();
    const key = newKey();
    const first = await sendKeyed(client, key, { identifier: email }, FORGOT);
    const again = await sendKeyed(client, key, { identifier: email }, FORGOT);
    expect([first.status, isReplay(first), again.status, isReplay(again)]).toEqual([202, false, 202, true]);
    expect(again.body as object as Started).toEqual(first.body);
    expect((await sendKeyed(client, key, { identifier: 'x@example.com' }, FORGOT)).body.code).toBe(
      'IDEMPOTENCY_KEY_REUSED',
    );
    expect(violationsOf(await client.with({ 'Idempotency-Key': 'two words' }).post(FORGOT, {}))).toEqual([
      'Idempotency-Key INVALID_FORMAT',
      'identifier REQUIRED',
    ]);
    await delivered(app, email, 'recovery-code');
    expect(await codesTo(email)).toBe(1);
  });

  it('keeps no code in clear, and tells nobody but the trail whether one was sent', async () => {
    const { email, customerId } = await newVerified(app, client);
    await later();
    const ids = [];
    for (const address of [email, newPerson().email]) {
      const { headers } = await forgot(client, address);
      ids.push(headers.get('X-Request-Id') ?? '');
    }
    const code = await recoveryCode(app, email);
    for (const table of ['recovery', 'send_limit', 'message', 'audit_event']) {
      const rows = await app.query<{ row: string }>(`SELECT ${table}::text AS row FROM ${table}`);
      expect(rows.filter(({ row }) => new RegExp(`\\b${code}\\b`).test(row))).toEqual([]);
    }
    const acts = await Promise.all(
      ids.map((id) =>
        app.administer<{ acts: { type: string; customerId: string; details: object }[] }>('audit', 'explain', id),
      ),
    );
    const details = { channel: 'email', destination: 'a***@e***.com' };
    expect(acts.flatMap((explained) => explained.acts)).toEqual([
      expect.objectContaining({ type: 'recovery.begun', customerId, details: { ...details, codeSent: true } }),
      expect.objectContaining({ type: 'recovery.begun', customerId: null, details: { ...details, codeSent: false } }),
    ]);
  });
});
