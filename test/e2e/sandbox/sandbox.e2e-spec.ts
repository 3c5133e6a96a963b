import type { ApiClient } from '../../support/api/api-client';
import { newPerson, PASSWORD, register, type SessionBody } from '../../support/api/consumers';
import { sendRaw } from '../../support/http/raw-http';
import { keyOf } from '../../support/api/touchpoints';
import { TestConsole } from '../../support/console/console';
import { TestService } from '../../support/service/test-service';
import { until } from '../../support/until';

interface Message {
  channel: string;
  to: string;
  kind: string;
  text: string;
  code: string | null;
}

const ME = '/api/v1/me';

describe('a sandbox', () => {
  let site: TestConsole;
  let app: TestService;
  let client: ApiClient;

  beforeAll(async () => {
    site = await TestConsole.start({ env: { SANDBOX: 'true' } });
    ({ app } = site);
  });
  beforeEach(async () => {
    client = await app.client();
  });
  afterAll(() => app.close());

  const messagesTo = async (to: string) =>
    (await client.get<Message[]>(`/sandbox/messages?to=${encodeURIComponent(to)}`)).body;
  const advance = (by: string) => client.post<{ now: string }>('/sandbox/clock', { advance: by });

  it('says of itself that it is one: in each answer, in keys and in tokens', async () => {
    for (const path of ['/api/v1/reference/countries', '/health/live', '/nothing', '/docs', '/openapi.json']) {
      expect([path, (await fetch(app.baseUrl + path)).headers.get('Sandbox')]).toEqual([path, 'true']);
    }
    const { answers } = await sendRaw(app.baseUrl, 'NONSENSE\r\n\r\n');
    expect(answers[0]?.headers.sandbox).toBe('true');
    expect(keyOf(client)).toMatch(/^tpk_test_[\w-]{49}$/);
    const { token } = await register(client);
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { iss: string };
    expect(claims.iss).toBe('consumer-service-sandbox');
  });

  it('has a console that says so, and which command makes a link', async () => {
    const browser = await site.signedIn('ADMIN');
    expect(browser.html).toMatch(/<header>.*<strong class="sandbox">Sandbox<\/strong>/);
    await browser.get('/sign-in');
    expect(browser.text).toMatch(/SANDBOX=true (DATA_DIR=\S+ )?npm run --silent cli -- operator invite/);
  });

  it('sends test addresses one code, and everybody else one of their own', async () => {
    const phone = '+12125550123';
    const { token } = await register(client, { email: 'codes@shop.test', phone });
    const me = client.as(token);
    for (const channel of ['email', 'sms']) {
      // Again and again, without a cool-down.
      for (let time = 0; time < 3; time += 1) {
        expect((await me.post(`/api/v1/verifications/${channel}/request`)).status).toBe(202);
      }
      expect((await me.post(`/api/v1/verifications/${channel}/confirm`, { code: '424242' })).status).toBe(200);
    }
    const other = client.as((await register(client)).token);
    expect((await other.post('/api/v1/verifications/email/request')).status).toBe(202);
    expect((await other.post('/api/v1/verifications/email/request')).status).toBe(429);
    const { status, body } = await other.post('/api/v1/verifications/email/confirm', { code: '424242' });
    expect([status, body.code]).toEqual([400, 'CODE_INVALID']);
  });

  it('tells test addresses of every change, without an allowance', async () => {
    const to = 'often@shop.test';
    const { token } = await register(client, { email: to });
    await client.as(token).post('/api/v1/verifications/email/request');
    await client.as(token).post('/api/v1/verifications/email/confirm', { code: '424242' });
    for (let time = 0; time < 11; time += 1) {
      const forgotten = await client.post<{ recoveryId: string }>('/api/v1/password/forgot', { identifier: to });
      const { recoveryId } = forgotten.body;
      const newPassword = `${PASSWORD} ${time}`;
      const reset = await client.post('/api/v1/password/reset', { recoveryId, code: '42424242', newPassword });
      expect(reset.status).toBe(204);
    }
    const notices = async () => (await messagesTo(to)).filter(({ code }) => code === null);
    await until(async () => (await notices()).length === 11);
  });

  it('shows what it has written, to the touchpoint that caused it', async () => {
    const [to, phone] = ['read@shop.test', '+12125550124'];
    const { token } = await register(client, { email: to, phone, locale: 'de-AT' });
    await client.as(token).post('/api/v1/verifications/email/request');
    await client.as(token).post('/api/v1/verifications/sms/request');
    await until(async () => (await messagesTo(to)).length === 1 && (await messagesTo(phone)).length === 1);
    expect(await messagesTo(to)).toEqual([
      {
        id: expect.any(String) as string,
        ...{ channel: 'email', to, kind: 'verification-code', locale: 'de-AT', code: '424242' },
        text: expect.stringContaining('424242') as string,
        createdAt: expect.stringMatching(/Z$/) as string,
      },
    ]);
    expect((await client.get<Message[]>('/sandbox/messages')).body.map((message) => message.to)).toEqual([phone, to]);
    const stranger = await app.client();
    expect((await stranger.get('/sandbox/messages')).body).toEqual([]);
    expect((await client.with({ 'X-Touchpoint-Key': 'wrong' }).get('/sandbox/messages')).status).toBe(401);
  });

  it('has a clock for each touchpoint, which goes forward only, and not too far', async () => {
    const { token, email } = await register(client);
    const stranger = await app.client();
    const { token: other } = await register(stranger);
    const { body } = await advance('31m');
    const aheadMs = new Date(body.now).getTime() - Date.now();
    expect(Math.round(aheadMs / 60_000)).toBe(31);
    const expired = await client.as(token).get(ME);
    expect(expired.status).toBe(401);
    const admitted = await stranger.as(other).get(ME);
    expect(admitted.status).toBe(200);
    // By `Date` a client knows how far it is.
    const minutesAhead = ({ headers }: { headers: Headers }) =>
      Math.round((Date.parse(headers.get('date') ?? '') - Date.now()) / 60_000);
    expect(minutesAhead(expired)).toBe(31);
    expect(Math.abs(minutesAhead(admitted))).toBe(0);
    const again = await client.post<SessionBody>('/api/v1/login', { identifier: email, password: PASSWORD });
    expect((await client.as(again.body.token).get(ME)).status).toBe(200);
    for (const wrong of ['-1h', '0', 'soon', '500d', 7]) {
      const { status, body: problem } = await client.post<{ code: string }>('/sandbox/clock', { advance: wrong });
      expect([wrong, status, problem.code]).toEqual([wrong, 400, 'VALIDATION_FAILED']);
    }
    expect((await advance('399d')).status).toBe(200);
    expect((await advance('2d')).status).toBe(400);
  });

  it('lets a code expire in a moment', async () => {
    const { token } = await register(client, { email: 'late@shop.test' });
    const me = client.as(token);
    await me.post('/api/v1/verifications/email/request');
    await advance('11m');
    const { status, body } = await me.post('/api/v1/verifications/email/confirm', { code: '424242' });
    expect([status, body.code]).toEqual([410, 'CODE_EXPIRED']);
  });

  it('forgets the consumers of a touchpoint, and nobody else', async () => {
    const stranger = await app.client();
    const { token: other } = await register(stranger);
    const { token } = await register(client, { email: 'gone@shop.test' });
    for (let count = 0; count < 12; count += 1) await register(client, { email: `gone.${count}@shop.test` });
    const { customerId } = await register(client);
    await app.administer('consumer', 'erase', customerId, '--yes');
    await client.as(token).post('/api/v1/verifications/email/request');
    expect((await client.send('DELETE', '/sandbox/consumers')).status).toBe(204);
    expect((await client.as(token).get(ME)).status).toBe(401);
    expect((await client.get('/sandbox/messages')).body).toEqual([]);
    expect((await stranger.as(other).get(ME)).status).toBe(200);
    await register(client, { email: 'gone@shop.test' });
    const [left] = await app.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM identifier WHERE value LIKE 'gone%@shop.test'`,
    );
    expect(left?.count).toBe(1);
  });

  it('leaves no message to whom it has forgotten when it fails halfway, and goes on at the next try', async () => {
    const addresses = ['half.1@shop.test', 'half.2@shop.test'];
    for (const email of addresses) {
      const { token } = await register(client, { email });
      await client.as(token).post('/api/v1/verifications/email/request');
      await until(async () => (await messagesTo(email)).length === 1);
    }
    await app.query(`CREATE FUNCTION keep_the_last() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NOT EXISTS (SELECT FROM identifier WHERE value LIKE 'half.%') THEN RAISE 'kept'; END IF; RETURN OLD; END $$`);
    await app.query('CREATE TRIGGER kept BEFORE DELETE ON consumer FOR EACH ROW EXECUTE FUNCTION keep_the_last()');
    expect((await client.send('DELETE', '/sandbox/consumers')).status).toBe(500);
    await app.query('DROP TRIGGER kept ON consumer');
    const left = () => app.query(`SELECT value FROM identifier WHERE value LIKE 'half.%'`);
    expect(await left()).toHaveLength(1);
    expect((await client.get('/sandbox/messages')).body).toEqual([]);
    expect((await client.send('DELETE', '/sandbox/consumers')).status).toBe(204);
    expect(await left()).toEqual([]);
  });
});

describe('any other deployment', () => {
  it('knows nothing of a sandbox', async () => {
    const app = await TestService.shared();
    const client = await app.client();
    expect(keyOf(client)).toMatch(/^tpk_[\w-]{49}$/);
    for (const [method, path] of [
      ['GET', '/sandbox/messages'],
      ['POST', '/sandbox/clock'],
      ['POST', '/sandbox/assertions'],
      ['DELETE', '/sandbox/consumers'],
    ] as const) {
      const { status, headers } = await client.send(method, path);
      expect([path, status, headers.get('Sandbox')]).toEqual([path, 404, null]);
    }
    const { status } = await client.get('/api/v1/reference/countries', { 'X-Sandbox-Scenario': 'INTERNAL' });
    expect(status).toBe(200);
    const { token } = await register(client, newPerson({ email: 'real@shop.test' }));
    await client.as(token).post('/api/v1/verifications/email/request');
    const guess = await client.as(token).post('/api/v1/verifications/email/confirm', { code: '424242' });
    expect([guess.status, guess.body.code]).toEqual([400, 'CODE_INVALID']);
    expect((await client.as(token).post('/api/v1/verifications/email/request')).status).toBe(429);
  });

  it('has a console that says nothing of one', async () => {
    expect((await (await TestConsole.shared()).signedIn('ADMIN')).html).not.toContain('Sandbox');
  });

  it('does not start as a sandbox in production', async () => {
    const { exitCode, stderr } = await (
      await TestService.shared()
    ).cliWith({ NODE_ENV: 'production', SANDBOX: 'true' }, 'db', 'status');
    expect(exitCode).toBe(1);
    expect(stderr).toContain('SANDBOX: must not be true with NODE_ENV=production');
  });
});
