import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { register } from '../support/api/consumers';
import { TestConsole } from '../support/console/console';
import { ConsoleWindow } from '../support/console/console-window';
import { launchChromium, violations } from '../support/documents/browser';
import { TcpProxy } from '../support/faults/tcp-proxy';
import { freePort } from '../support/service/free-port';
import { TestService } from '../support/service/test-service';

/** Where the screenshots go, to be looked at. */
const SHOTS = join(__dirname, '../../test-logs/console');
const NARROWEST = 320;

/** The names of the tables that have to be moved aside to be read. */
const CUT_TABLES = `[...document.querySelectorAll('.scroll')]
  .filter((table) => table.scrollWidth > table.clientWidth).map((table) => table.ariaLabel)`;

/** Answers that are meant: a page of that status is looked at. */
const MEANT = /status of (400|403|404|409|410|503)/;

describe.each([
  ['light', 1280],
  ['light', 390],
  ['dark', 1280],
  ['dark', 390],
] as const)('each page of the console (%s, %i px)', (colorScheme, width) => {
  const viewport = { width, height: 900 };
  const code = `seen-${colorScheme}-${width}`;
  const provider = `https://idp.example/${code}`;
  let site: TestConsole;
  let browser: Browser;
  let window: ConsoleWindow;

  beforeAll(async () => {
    mkdirSync(SHOTS, { recursive: true });
    site = await TestConsole.start();
    browser = await launchChromium();
    window = await ConsoleWindow.open(site, browser, { colorScheme, viewport });
  });
  afterAll(() => browser.close());

  /** The present page: a screenshot, no barrier, and nothing beyond the side of the screen. */
  async function look(name: string, { page } = window): Promise<void> {
    await page.screenshot({ path: join(SHOTS, `${name}-${colorScheme}-${width}.png`), fullPage: true });
    expect([name, await violations(page)]).toEqual([name, []]);
    for (const wide of width === 390 ? [width, NARROWEST] : [width]) {
      await page.setViewportSize({ ...viewport, width: wide });
      expect([name, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([name, wide]);
      expect([name, wide, await page.evaluate(CUT_TABLES)]).toEqual([name, wide, []]);
    }
    await page.setViewportSize(viewport);
  }

  const visit = async (path: string, name: string) => {
    await window.page.goto(site.baseUrl + path);
    await look(name);
  };

  it('has no barrier and fits on the way of an administrator', async () => {
    const { page } = window;
    const link = await window.signIn('ADMIN', {
      press: async (button) => {
        await look('sign-in-link');
        await button.click();
      },
    });
    await look('signed-in');
    await window.openMenu();
    await look('menu');
    await visit(new URL(link).pathname, 'link-spent');
    await page.goto(site.baseUrl);
    const client = await window.createTouchpoint(code);
    await look('key-shown');
    const { email, token } = await register(client, { firstName: '<script>alert(1)</script>' });

    await visit('/touchpoints', 'touchpoints');
    await window.field('Code').fill(code);
    await window.button('Create touchpoint').click();
    await page.getByText('already').first().waitFor();
    await look('touchpoint-refused');
    await page.getByRole('link', { name: 'already' }).click();
    expect(await window.field('Code').evaluate((field) => field === document.activeElement)).toBe(true);
    await page.goto(`${site.baseUrl}/touchpoints/${code}`);
    await window.field('Issuer').fill(provider);
    await window.field('Audience').fill('shop');
    await window.field('JWKS URI').fill('https://idp.example/keys');
    await window.button('Add provider').click();
    await page.getByText(provider).waitFor();
    await look('touchpoint');
    await window.button('Disable').click();
    await page.getByRole('dialog', { name: 'Disable this touchpoint?' }).waitFor();
    await look('dialog');

    await visit('/consumers', 'consumers');
    await window.find(email);
    await look('consumer');
    const consumer = new URL(page.url()).pathname;
    await window.field('Reason').fill(' ');
    await window.button('Reveal').click();
    await page.getByText('Reason must say why').first().waitFor();
    await look('consumer-refused');
    await window.field('Reason').fill('ticket 4711');
    await window.button('Reveal').click();
    await page.getByText(email).waitFor();
    await look('consumer-revealed');
    await window.confirm('End session');
    await page.getByText('signed in nowhere').waitFor();
    await look('session-ended');
    expect((await client.as(token).get('/api/v1/me')).status).toBe(401);

    const requestId = `login-${code}`;
    await client.with({ 'X-Request-Id': requestId }).post('/api/v1/login', { identifier: email, password: 'wrong' });
    await window.explain(requestId);
    await page.getByText('What to tell the partner').waitFor();
    await look('request');
    await visit(consumer, 'consumer-later');
    await window.field('Type the customer id to confirm').fill(consumer.slice('/consumers/'.length));
    await window.confirm('Erase');
    await page.getByText('has been erased').waitFor();
    await look('erased');
    await visit(consumer, 'erased-consumer');
    expect(window.troubles.filter((trouble) => !MEANT.test(trouble))).toEqual([]);
  });

  it('has no barrier and fits on every other page, also where something is refused', async () => {
    const { page } = window;
    await page.goto(`${site.baseUrl}/subscribers`);
    await window.field('Code').fill(`crm-${colorScheme}-${width}`);
    await window.button('Create subscriber').click();
    await page.getByText('Its key is shown this once').waitFor();
    await look('subscriber-key-shown');
    await page.goto(`${site.baseUrl}/operators`);
    await window.field('E-mail').fill(site.newEmail());
    await window.button('Invite').click();
    await page.getByText('Give this link to').waitFor();
    await look('invitation');
    const others = ['subscribers', 'operators', 'requests', 'audit', 'messages', 'keys', 'my-sessions', 'sign-in'];
    for (const name of others) await visit(`/${name}`, name);
    await visit('/', 'overview');
    await visit('/nothing', '404');

    // As when the browser's history sends a form again.
    const spent = randomUUID();
    for (const time of ['first', 'second']) {
      await page.goto(`${site.baseUrl}/touchpoints/${code}`);
      const form = page.locator('form', { has: window.button('Save settings') });
      await form.locator('[name=form]').evaluate((input, id) => {
        input.setAttribute('value', id);
      }, spent);
      await window.button('Save settings').click();
      await page
        .getByText(time === 'first' ? 'Settings' : 'has been sent before')
        .first()
        .waitFor();
    }
    await look('409');

    await page.goto(`${site.baseUrl}/touchpoints/${code}`);
    await site.app.query(`UPDATE operator_session SET authenticated_at = authenticated_at - interval '16 minutes'`);
    await window.confirm('Remove');
    await window.heading('Sign in again first').waitFor();
    await look('fresh-sign-in');

    const supporter = await ConsoleWindow.open(site, browser, { colorScheme, viewport });
    await supporter.signIn('SUPPORT');
    await supporter.page.goto(`${site.baseUrl}/audit`);
    await look('403', supporter);
    await supporter.close();
    expect(window.troubles.filter((trouble) => !MEANT.test(trouble))).toEqual([]);
  });

  it('has no barrier and fits while the database is away', async () => {
    const { proxy, url } = await TcpProxy.toDatabase(site.app.databaseUrl);
    const port = String(await freePort());
    const replica = await TestService.start({ replicaOf: site.app, env: { DATABASE_URL: url, CONSOLE_PORT: port } });
    proxy.takeAway();
    await window.page.goto(`http://127.0.0.1:${port}/touchpoints`);
    await window.heading('The database cannot be reached').waitFor();
    await look('503');
    proxy.giveBack();
    await replica.close();
    proxy.stop();
  });
});
