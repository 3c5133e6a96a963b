import { register } from '../../support/api/consumers';
import { TestConsole } from '../../support/console/console';
import { FormBrowser } from '../../support/form-browser';
import { OpenIdProvider } from '../../support/identity-providers/openid-provider';
import { TestService } from '../../support/service/test-service';
import { freePort } from '../../support/service/free-port';

const person = (email: string, ...groups: string[]) => ({ email, email_verified: true, groups });

const PEOPLE = {
  grace: person('grace@company.example', 'everybody', 'service desk'),
  edsger: person('edsger@company.example', 'service desk', 'ou=admins'),
  mallory: person('mallory@company.example', 'everybody'),
  double: person('grace@company.example', 'admins'),
  unverified: { ...person('unverified@company.example', 'admins'), email_verified: false },
  nameless: { groups: ['admins'] },
};

/** What the browser keeps while somebody is at the provider. */
type Pending = Record<'state' | 'nonce' | 'verifier', string>;

describe('signing in to the console with the company’s OpenID Connect provider', () => {
  let provider: OpenIdProvider;
  let site: TestConsole;

  beforeAll(async () => {
    const port = await freePort();
    const redirectUri = `http://127.0.0.1:${port}/sign-in/company/callback`;
    provider = await OpenIdProvider.start({ people: PEOPLE, redirectUri });
    site = await TestConsole.start({
      replicaOf: await TestService.shared(),
      env: {
        CONSOLE_PORT: String(port),
        CONSOLE_OIDC_ISSUER: provider.issuer,
        CONSOLE_OIDC_CLIENT_ID: provider.audience,
        CONSOLE_OIDC_CLIENT_SECRET: provider.clientSecret,
        CONSOLE_OIDC_ROLES: 'service desk=SUPPORT, ou=admins=ADMIN, admins=ADMIN',
      },
    });
  });
  afterAll(() => provider.close());

  /** Where the provider sends the browser back to. */
  async function answered(browser: FormBrowser, login: string, path = '/sign-in/company'): Promise<string> {
    await browser.get(path);
    const { pathname, search } = await provider.answer(browser.path, login);
    return pathname + search;
  }
  async function signIn(login: string, browser = new FormBrowser(site.baseUrl)): Promise<FormBrowser> {
    await browser.get(await answered(browser, login));
    return browser;
  }
  const operators = () => site.app.administer<{ email: string; role: string }[]>('operator', 'list');
  const roleOf = async (email: string) => (await operators()).find((operator) => operator.email === email)?.role;

  it('gives the role of the highest group, and leads back to the page that was asked for', async () => {
    const browser = new FormBrowser(site.baseUrl);
    await browser.get('/consumers');
    expect(browser.links).toContain('/sign-in/company');
    await signIn('grace', browser);
    expect([browser.status, browser.path]).toEqual([200, '/consumers']);
    expect(await roleOf('grace@company.example')).toBe('SUPPORT');
    await browser.get('/audit');
    expect(browser.status).toBe(403);

    const admin = await signIn('edsger');
    expect([admin.status, admin.path]).toEqual([200, '/']);
    await admin.get('/operators');
    expect([admin.status, admin.text]).toEqual([200, expect.stringContaining('edsger@company.example')]);
    await admin.get('/audit');
    expect(admin.text).toContain('operator.signed-in');
  });

  it.each([
    ['mallory', 'None of the groups', 'no role'],
    ['unverified', 'not verified', 'address not verified'],
    ['nameless', 'no e-mail address', 'no address'],
    ['double', 'Another company account', 'another account'],
  ])('keeps %s out, says why, and records it', async (login, text, why) => {
    if (login === 'double') await signIn('grace');
    const browser = await signIn(login);
    expect([browser.status, browser.text]).toEqual([403, expect.stringContaining(text)]);
    await browser.get('/');
    expect(browser.path).toBe('/sign-in');
    const refused = await site.app.query(
      `SELECT operator, details FROM audit_event
       WHERE type = 'operator.signed-in' AND outcome = 'failed' AND reason = $1`,
      [why],
    );
    // Under no name: nobody has proven the address.
    const details = { by: 'provider', issuer: provider.issuer, subject: login };
    expect(refused).toEqual([{ operator: null, details }]);
    if (login === 'mallory') expect(await roleOf('mallory@company.example')).toBeUndefined();
  });

  it('keeps out who was disabled here, whatever the provider says, and follows a change of role', async () => {
    await signIn('grace');
    await site.app.administer('operator', 'role', 'grace@company.example', 'AUDITOR');
    await signIn('grace');
    expect(await roleOf('grace@company.example')).toBe('SUPPORT');
    await site.app.administer('operator', 'disable', 'grace@company.example');
    const browser = await signIn('grace');
    expect([browser.status, browser.text]).toEqual([403, expect.stringContaining('has been disabled')]);
    await site.app.administer('operator', 'enable', 'grace@company.example');
    expect((await signIn('grace')).path).toBe('/');
  });

  it('takes an answer only in the browser that asked, once, and unaltered', async () => {
    const [own, stranger] = [new FormBrowser(site.baseUrl), new FormBrowser(site.baseUrl)];
    const path = await answered(own, 'edsger');
    await stranger.get(path);
    expect([stranger.status, stranger.text]).toEqual([400, expect.stringContaining('did not sign you in')]);
    await own.get(path.replace(/state=[^&]*/, 'state=another'));
    expect(own.status).toBe(400);
    await own.get(path);
    expect(own.status).toBe(400);

    const again = new FormBrowser(site.baseUrl);
    const good = await answered(again, 'edsger');
    await again.get(good);
    expect(again.path).toBe('/');
    await again.get('/sign-in/company');
    await again.get(good);
    expect(again.status).toBe(400);
    const other = new FormBrowser(site.baseUrl);
    await answered(other, 'edsger');
    await other.get('/sign-in/company/callback?error=access_denied');
    expect(other.status).toBe(400);
  });

  it.each([
    ['nothing', (part: Pending) => part, '', 303],
    ['another nonce', (part: Pending) => ({ ...part, nonce: 'another' }), '', 400],
    ['another PKCE verifier', (part: Pending) => ({ ...part, verifier: 'v'.repeat(43) }), '', 400],
    ['another issuer', (part: Pending) => part, 'https://another.example', 400],
  ])('is refused unless the answer fits what was asked: %s altered', async (_, alter, issuer, status) => {
    const browser = new FormBrowser(site.baseUrl);
    const answer = new URL(await answered(browser, 'edsger'), site.baseUrl);
    if (issuer !== '') answer.searchParams.set('iss', issuer);
    const kept = /console-sign-in=([^;]*)/.exec(browser.cookieHeader)?.[1] ?? '';
    const pending = JSON.stringify(alter(JSON.parse(decodeURIComponent(kept)) as Pending));
    const cookie = `console-sign-in=${encodeURIComponent(pending)}`;
    expect((await fetch(answer, { redirect: 'manual', headers: { cookie } })).status).toBe(status);
  });

  it('asks the provider for a fresh sign-in before an act that destroys', async () => {
    const browser = await signIn('edsger');
    const { customerId } = await register(await site.app.client());
    const erase = async () => {
      await browser.get(`/consumers/${customerId}`);
      await browser.submit(`/consumers/${customerId}/erase`, { confirmation: customerId });
    };
    await erase();
    expect([browser.status, browser.links]).toEqual([403, expect.arrayContaining(['/sign-in/company?fresh=yes'])]);

    await browser.get(await answered(browser, 'edsger', '/sign-in/company?fresh=yes'));
    await erase();
    expect([browser.status, browser.text]).toEqual([200, expect.stringContaining('has been erased')]);
  });

  it('says so when the provider does not answer, and then lets links in', async () => {
    const away = await TestConsole.start({
      replicaOf: site.app,
      env: {
        CONSOLE_OIDC_ISSUER: `http://127.0.0.1:${await freePort()}`,
        CONSOLE_OIDC_CLIENT_ID: 'console',
        CONSOLE_OIDC_CLIENT_SECRET: 'secret',
        CONSOLE_OIDC_ROLES: 'admins=ADMIN',
      },
    });
    const browser = new FormBrowser(away.baseUrl);
    await browser.get('/sign-in/company');
    expect([browser.status, browser.text]).toEqual([503, expect.stringContaining('could not be reached')]);
    expect((await away.signedIn('ADMIN')).path).toBe('/');
  });
});
