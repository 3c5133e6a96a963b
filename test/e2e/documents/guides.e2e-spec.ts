import type { ApiClient } from '../../support/api/api-client';
import { newPerson, PASSWORD, register } from '../../support/api/consumers';
import { login, NEW_PASSWORD, recoveryCode } from '../../support/api/recovery';
import { GuideWebsite } from '../../support/guides/guide';
import { FormBrowser } from '../../support/form-browser';
import { wrongCode } from '../../support/messages/mailbox';
import { TestService } from '../../support/service/test-service';

describe('the website of the guide', () => {
  let app: TestService;
  let client: ApiClient;
  let website: GuideWebsite | undefined;

  beforeAll(async () => {
    // Of its own: the clock of the website is that of the machine, and those of shared services are ahead of it.
    app = await TestService.start({ clock: 'stopped' });
    client = await app.client({ sessionMax: '8h' });
  });
  afterEach(() => website?.stop());

  const open = async (page: string, path: string): Promise<FormBrowser> => {
    website = await GuideWebsite.start(page, client);
    const browser = new FormBrowser(website.baseUrl);
    await browser.get(path);
    return browser;
  };
  const signIn = async (browser: FormBrowser, identifier: string) => {
    await browser.get('/login');
    await browser.submit('/login', { identifier, password: PASSWORD });
  };

  it('to a forgotten password changes it, and explains what goes wrong on the way', async () => {
    const { email } = await register(client);
    const browser = await open('docs/integrate/guides/forgot-password.md', '/forgot');
    await browser.submit('/forgot', { identifier: 'nonsense' });
    expect([browser.status, browser.html]).toEqual([400, expect.stringContaining('neither an e-mail address')]);
    await browser.submit('/forgot', { identifier: email });
    expect([browser.status, browser.path]).toEqual([200, '/reset']);
    const code = await recoveryCode(app, email);

    await browser.submit('/reset', { code: wrongCode(code), newPassword: NEW_PASSWORD });
    expect([browser.status, browser.html]).toEqual([400, expect.stringContaining('The code is not right')]);
    await browser.submit('/reset', { code, newPassword: 'password' });
    expect([browser.status, browser.html]).toEqual([400, expect.stringContaining('choose another password')]);
    await browser.submit('/reset', { code: `${code.slice(0, 4)} ${code.slice(4)}`, newPassword: NEW_PASSWORD });
    expect([browser.status, browser.html]).toEqual([200, expect.stringContaining('Your password has changed')]);
    expect((await login(client, email, PASSWORD)).status).toBe(401);
    expect((await login(client, email, NEW_PASSWORD)).status).toBe(200);

    await browser.get('/forgot');
    await browser.submit('/forgot', { identifier: email });
    expect([browser.status, browser.html]).toEqual([429, expect.stringMatching(/wait \d+ seconds/)]);
  });

  it('to a forgotten password looks the same to strangers, and ends a code after five wrong ones', async () => {
    const { email } = await register(client);
    const browser = await open('docs/integrate/guides/forgot-password.md', '/forgot');
    await browser.submit('/forgot', { identifier: email });
    const known = browser.html.replace(/value="[^"]*"/, '');
    await browser.get('/forgot');
    await browser.submit('/forgot', { identifier: newPerson().email });
    expect(browser.html.replace(/value="[^"]*"/, '')).toBe(known);
    for (let guess = 0; guess < 5; guess += 1) {
      await browser.submit('/reset', { code: '12345678', newPassword: NEW_PASSWORD });
      expect(browser.status).toBe(400);
    }
    await browser.submit('/reset', { code: '12345678', newPassword: NEW_PASSWORD });
    expect([browser.status, browser.html]).toEqual([410, expect.stringContaining('ask for another one')]);
  });

  it('to stay signed in keeps the session alive for longer than a token', async () => {
    const { email } = await register(client);
    const browser = await open('docs/integrate/guides/stay-signed-in.md', '/account');
    expect(browser.path).toBe('/login');
    await browser.submit('/login', { identifier: email, password: 'wrong' });
    expect(browser.status).toBe(401);
    await signIn(browser, email);
    for (let time = 0; time < 3; time += 1) {
      expect([browser.status, browser.path, browser.html]).toEqual([
        200,
        '/account',
        expect.stringContaining('Hello Ada'),
      ]);
      await website?.waitTwentyMinutes();
      await app.clock.advance({ minutes: 20 });
      await browser.get('/account');
    }
    await browser.submit('/logout');
    expect(browser.path).toBe('/login');
    await browser.get('/account');
    expect(browser.path).toBe('/login');
  });

  it('to stay signed in shows where the consumer is signed in, ends a session there, and notices one that has ended', async () => {
    const { email } = await register(client);
    const browser = await open('docs/integrate/guides/stay-signed-in.md', '/login');
    const other = new FormBrowser(website?.baseUrl ?? '');
    await signIn(browser, email);
    await signIn(other, email);
    await other.get('/account');
    const ends = [...other.html.matchAll(/action="(\/sessions\/[^"]*)"/g)].map(([, action = '']) => action);
    // The registration opened a session too.
    expect(ends).toHaveLength(2);
    for (const action of ends) {
      await other.get('/account');
      await other.submit(action);
    }
    expect(other.html).not.toContain('Sign out there');
    await browser.get('/account');
    expect(browser.path).toBe('/login');
  });
});
