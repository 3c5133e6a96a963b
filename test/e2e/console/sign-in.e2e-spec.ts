import { randomBytes, randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { TestConsole } from '../../support/console/console';
import { FormBrowser } from '../../support/form-browser';

describe('signing in to the console', () => {
  let site: TestConsole;

  beforeAll(async () => {
    site = await TestConsole.withStoppedClock();
  });

  it('needs a one-time link, which begins with the address of the console and lasts ten minutes', async () => {
    const address = `Grace.${randomUUID()}@Example.com`;
    const { link, email, role, expiresAt } = await site.invite('SUPPORT', address);
    expect(link).toMatch(new RegExp(`^${site.baseUrl}/sign-in/[\\w-]{43}$`));
    expect([email, role]).toEqual([address.toLowerCase(), 'SUPPORT']);
    expect(Date.parse(expiresAt) - site.app.clock.epochMs()).toBe(600_000);
    const stored = await site.app.query<{ text: string }>('SELECT l::text AS text FROM sign_in_link l');
    expect(JSON.stringify(stored)).not.toContain(link.slice(-43));

    const browser = new FormBrowser(site.baseUrl);
    const path = link.slice(site.baseUrl.length);
    // Programs that check the links of messages open them too.
    for (let time = 0; time < 3; time += 1) {
      await browser.get(path);
      expect([browser.status, browser.text]).toEqual([200, expect.stringContaining(`signed in as ${email}`)]);
    }
    await browser.submit(path);
    expect([browser.status, browser.path]).toEqual([200, '/']);
    const thief = new FormBrowser(site.baseUrl);
    await thief.get(path);
    expect([thief.status, thief.text]).toEqual([410, expect.stringContaining('This link does not work')]);

    const late = await site.invite('SUPPORT');
    await site.app.clock.advance({ minutes: 10 });
    await thief.get(late.link.slice(site.baseUrl.length));
    expect(thief.status).toBe(410);
  });

  it('opens one session, however often one link is used at once', async () => {
    const { link, email } = await site.invite('ADMIN');
    const uses = Array.from({ length: 50 }, () =>
      fetch(link, { method: 'POST', redirect: 'manual', headers: { 'Sec-Fetch-Site': 'same-origin' } }),
    );
    const statuses = (await Promise.all(uses)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 303)).toHaveLength(1);
    // A database that is busy for too long is no answer either.
    expect(statuses.filter((status) => ![303, 410, 503].includes(status))).toEqual([]);
    const sessions = await site.app.query(
      'SELECT 1 FROM operator_session s JOIN operator o ON o.id = s.operator_id WHERE o.email = $1',
      [email],
    );
    expect(sessions).toHaveLength(1);
  });

  it('is asked for on every page, and leads back to the page', async () => {
    const browser = new FormBrowser(site.baseUrl);
    for (const path of ['/', '/touchpoints', '/consumers', '/nothing-here']) {
      await browser.get(path);
      expect([path, browser.path]).toEqual([path, '/sign-in']);
    }
    await browser.get('/audit?touchpoint=shop');
    const { link } = await site.invite('AUDITOR');
    await site.signIn(browser, link);
    expect([browser.status, browser.path]).toEqual([200, '/audit?touchpoint=shop']);

    const lost = new FormBrowser(site.baseUrl);
    await lost.get('/nothing-here');
    await site.signIn(lost, (await site.invite('AUDITOR')).link);
    expect([lost.status, lost.path]).toEqual([200, '/']);
  });

  it('ends the session that the browser had', async () => {
    const browser = await site.signedIn('SUPPORT');
    const { email, cookieHeader: cookie } = browser;
    await site.signIn(browser, (await site.invite('AUDITOR')).link);
    expect(browser.path).toBe('/');
    const { headers } = await fetch(site.baseUrl, { redirect: 'manual', headers: { cookie } });
    expect(headers.get('location')).toBe('/sign-in');
    const ended = await site.app.query(
      `SELECT 1 FROM audit_event WHERE type = 'operator.signed-out' AND operator = $1`,
      [email],
    );
    expect(ended).toHaveLength(1);
  });

  it('keeps what was typed of a touchpoint until it has been sent again, and nothing of a consumer', async () => {
    const browser = await site.signedIn('ADMIN');
    const signInAgain = async () => site.signIn(browser, (await site.invite('ADMIN')).link);
    await browser.get('/touchpoints');
    await site.app.clock.advance({ minutes: 31 });
    const code = `kept-${randomUUID()}`;
    await browser.submit('/touchpoints', { code, name: 'The "kept" shop', authMode: 'OTP' });
    expect(browser.path).toBe('/sign-in');
    await signInAgain();
    expect([browser.path, browser.status]).toEqual(['/touchpoints', 200]);
    expect(browser.text).toContain('nothing has been done yet');
    expect(browser.html).toContain(`value="${code}"`);
    expect(browser.html).toContain('value="The &quot;kept&quot; shop"');
    await browser.get('/touchpoints');
    expect(browser.html).not.toContain(code);

    await browser.get('/consumers');
    await site.app.clock.advance({ minutes: 31 });
    await browser.submit('/consumers', { search: 'ada@example.com' });
    await signInAgain();
    expect([browser.path, browser.html.includes('ada@example.com')]).toEqual(['/consumers', false]);
  });

  it('ends after 30 minutes without use, and after twelve hours in any case', async () => {
    const browser = await site.signedIn('ADMIN');
    for (let minutes = 0; minutes < 12 * 60 - 29; minutes += 29) {
      await browser.get('/');
      expect([minutes, browser.path]).toEqual([minutes, '/']);
      await site.app.clock.advance({ minutes: 29 });
    }
    await site.app.clock.advance({ minutes: 29 });
    await browser.get('/');
    expect(browser.path).toBe('/sign-in');

    const idle = await site.signedIn('ADMIN');
    await site.app.clock.advance({ minutes: 30 });
    await idle.get('/');
    expect(idle.path).toBe('/sign-in');
  });

  it('ends at once with the operator’s access, by signing out, and from another session', async () => {
    const [first, disabled] = [await site.signedIn('SUPPORT'), await site.signedIn('SUPPORT')];
    await first.submit('/sign-out');
    await first.get('/');
    expect(first.path).toBe('/sign-in');

    await site.app.administer('operator', 'disable', disabled.email);
    await disabled.get('/');
    expect(disabled.path).toBe('/sign-in');
    const { exitCode, stderr } = await site.app.cli('operator', 'invite', disabled.email, '--role', 'SUPPORT');
    expect([exitCode, stderr]).toEqual([1, `${disabled.email} is disabled: enable the operator first\n`]);
    // As a link does that opens a session at the moment of the disabling.
    const token = randomBytes(32).toString('base64url');
    await site.app.query(
      `INSERT INTO operator_session (id, digest, operator_id, created_at, last_used_at)
       SELECT gen_random_uuid(), sha256($1::bytea), id, $2, $2 FROM operator WHERE email = $3`,
      [Buffer.from(token), new Date(site.app.clock.epochMs()), disabled.email],
    );
    await site.app.administer('operator', 'enable', disabled.email);
    const late = await fetch(site.baseUrl, { redirect: 'manual', headers: { cookie: `console=${token}` } });
    expect(late.headers.get('location')).toBe('/sign-in');

    const [here, there] = [
      await site.signedIn('SUPPORT', disabled.email),
      await site.signedIn('SUPPORT', disabled.email),
    ];
    await here.get('/my-sessions');
    const session = /name="session" value="([^"]*)"/.exec(here.html)?.[1] ?? '';
    await here.submit('/my-sessions/end');
    await there.get('/');
    expect([here.path, there.path]).toEqual(['/my-sessions', '/sign-in']);
    await here.send('POST', '/my-sessions/end', new URLSearchParams({ form: randomUUID(), session }));
    const ended = await site.app.query(
      `SELECT 1 FROM audit_event WHERE type = 'operator.signed-out' AND operator = $1`,
      [disabled.email],
    );
    expect(ended).toHaveLength(1);
  });

  it('sets a cookie that scripts and other sites cannot use', async () => {
    const { link } = await site.invite('ADMIN');
    const { headers } = await fetch(link, {
      ...{ method: 'POST', redirect: 'manual', headers: { 'Sec-Fetch-Site': 'same-origin' } },
    });
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^console=[\w-]{43}; Max-Age=43200; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/),
      expect.stringMatching(/^console-to=; Max-Age=0;/),
    ]);
    const secure = await TestConsole.start({
      clock: 'stopped',
      replicaOf: site.app,
      env: { CONSOLE_URL: 'https://console.example.com' },
    });
    const invitation = await secure.invite('ADMIN');
    expect(invitation.link).toMatch(/^https:\/\/console\.example\.com\/sign-in\//);
    const path = new URL(invitation.link).pathname;
    const { status, cookies } = await new Promise<{ status?: number; cookies?: string[] }>((resolve, reject) => {
      const sent = { method: 'POST', headers: { host: 'console.example.com', 'Sec-Fetch-Site': 'same-origin' } };
      request(secure.baseUrl + path, sent, (response) => {
        response.resume();
        resolve({ status: response.statusCode, cookies: response.headers['set-cookie'] });
      })
        .on('error', reject)
        .end();
    });
    expect([status, cookies?.[0]]).toEqual([
      303,
      expect.stringMatching(
        /^__Host-console=[\w-]{43}; Max-Age=43200; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
      ),
    ]);
  });
});
