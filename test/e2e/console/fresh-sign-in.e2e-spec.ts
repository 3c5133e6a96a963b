import { randomUUID } from 'node:crypto';
import { register } from '../../support/api/consumers';
import { TestConsole } from '../../support/console/console';
import type { FormBrowser } from '../../support/form-browser';

describe('an act that cannot be taken back', () => {
  let site: TestConsole;

  beforeAll(async () => {
    site = await TestConsole.withStoppedClock();
  });

  /** Sends the form with an old sign-in, which must do nothing. */
  async function tryLate(browser: FormBrowser, page: string, action: string, fields?: Record<string, string>) {
    await browser.get(page);
    await site.app.clock.advance({ minutes: 16 });
    await browser.submit(action, fields);
    expect([action, browser.status, browser.text]).toEqual([
      action,
      403,
      expect.stringContaining('Nothing has been done'),
    ]);
  }

  async function providerOf(code: string) {
    const { providers } = await site.app.administer<{ providers: unknown[] }>('touchpoint', 'show', code);
    return providers.length;
  }

  it('needs a recent sign-in, which leads back to the page of its form', async () => {
    const client = await site.app.client();
    const code = client.headers['X-Touchpoint-Code'] ?? '';
    await site.app.trust(client, { issuer: 'https://idp.example', jwksUri: 'https://idp.example/keys' });
    const browser = await site.signedIn('OPERATOR');
    const path = `/touchpoints/${code}`;
    await tryLate(browser, path, `${path}/providers/remove`);
    expect(await providerOf(code)).toBe(1);

    // Its own form to sign out by, beside that of every page.
    expect(browser.html).toContain('name="returns" value="yes"');
    await browser.submit('/sign-out', { returns: 'yes' });
    expect(browser.path).toBe('/sign-in');
    await site.signIn(browser, (await site.invite('OPERATOR')).link);
    expect([browser.path, browser.status]).toEqual([path, 200]);
    await browser.submit(`${path}/providers/remove`);
    expect(await providerOf(code)).toBe(0);
  });

  it('is the dropping of a message', async () => {
    const browser = await site.signedIn('OPERATOR');
    await site.app.clock.advance({ minutes: 16 });
    await browser.send('POST', '/messages/drop', new URLSearchParams({ form: randomUUID(), message: randomUUID() }));
    expect([browser.status, browser.text]).toEqual([403, expect.stringContaining('Nothing has been done')]);
  });

  it('leads nobody else to the page of a former operator', async () => {
    const { customerId } = await register(await site.app.client());
    const browser = await site.signedIn('ADMIN');
    const path = `/consumers/${customerId}`;
    await tryLate(browser, path, `${path}/export`);
    await browser.get('/');
    await browser.submit('/sign-out');
    await site.signIn(browser, (await site.invite('ADMIN')).link);
    expect(browser.path).toBe('/');

    await site.app.clock.advance({ minutes: 31 });
    await browser.get('/audit?touchpoint=shop');
    await site.signIn(browser, (await site.invite('ADMIN')).link);
    expect(browser.path).toBe('/audit?touchpoint=shop');
    await site.signIn(browser, (await site.invite('ADMIN')).link);
    expect(browser.path).toBe('/');
  });
});
