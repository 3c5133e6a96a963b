import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { ApiClient } from '../support/api/api-client';
import { register } from '../support/api/consumers';
import { TestConsole } from '../support/console/console';
import { launchChromium } from '../support/documents/browser';

/** Where the screenshots go: to be looked at, and `docs/images` for the guide. */
const SHOTS = process.env.CONSOLE_SCREENSHOTS ?? join(__dirname, '../../test-logs/console');
const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

describe('the console in a browser', () => {
  let site: TestConsole;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let troubles: string[];

  beforeAll(async () => {
    mkdirSync(SHOTS, { recursive: true });
    [site, browser] = await Promise.all([TestConsole.start(), launchChromium()]);
  });
  afterAll(() => browser.close());

  /** A browser in which somebody has signed in, as people do it. */
  async function open(options: Parameters<Browser['newContext']>[0] = {}): Promise<void> {
    context = await browser.newContext(options);
    context.setDefaultTimeout(30_000);
    page = await context.newPage();
    troubles = [];
    // Also what the Content-Security-Policy has refused.
    page.on('console', (message) => {
      if (message.type() === 'error') troubles.push(message.text());
    });
    page.on('pageerror', (error) => troubles.push(error.message));
    page.on('dialog', (dialog) => {
      troubles.push(dialog.message());
      void dialog.dismiss();
    });
    await page.goto((await site.invite('ADMIN')).link);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  }
  afterEach(async () => {
    await context.close();
  });

  const go = (name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
  const shoot = (name: string) => page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true });

  /** The violations of WCAG 2.0 to 2.2, A and AA, on the present page. */
  async function violations(): Promise<string[]> {
    // Not as a script of the page, which its Content-Security-Policy forbids.
    await page.evaluate(axe.source);
    const found = await page.evaluate(
      `axe.run({ runOnly: ${JSON.stringify(WCAG)} }).then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].html))`,
    );
    return found as string[];
  }

  async function createTouchpoint(code: string): Promise<ApiClient> {
    await go('Touchpoints');
    await page.getByLabel('Code').fill(code);
    await page.getByLabel('Name').fill('The shop');
    await page.getByLabel('Rate limit').fill('unlimited');
    await page.getByRole('button', { name: 'Create touchpoint' }).click();
    const key = await page.locator('dd code[data-copy]').innerText();
    return new ApiClient(site.app.baseUrl, { 'X-Touchpoint-Code': code, 'X-Touchpoint-Key': key });
  }

  async function find(text: string): Promise<void> {
    await go('Consumers');
    await page.getByLabel('E-mail, phone or customer id').fill(text);
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('heading', { name: 'Profile' }).waitFor();
  }

  it.each([true, false])(
    'leads from a link to a touchpoint, its consumer, and an explained refusal (script: %s)',
    async (javaScriptEnabled) => {
      await open({ javaScriptEnabled, viewport: { width: 1280, height: 900 } });
      const client = await createTouchpoint(`shop-${javaScriptEnabled ? 'with' : 'without'}`);
      const { email, token } = await register(client);
      await find(email);
      await page.getByLabel('Reason').first().fill('ticket 4711');
      await page.getByRole('button', { name: 'Reveal' }).click();
      await page.getByText(email).waitFor();
      await page.getByRole('button', { name: 'End session' }).click();
      await page.getByText('signed in nowhere').waitFor();
      expect((await client.as(token).get('/api/v1/me')).status).toBe(401);

      const requestId = `login-${javaScriptEnabled}`;
      await client.with({ 'X-Request-Id': requestId }).post('/api/v1/login', { identifier: email, password: 'wrong' });
      await go('Requests');
      // A refusal is recorded within a second.
      await page.waitForTimeout(1_000);
      await page.getByLabel('Request').fill(requestId);
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByText('wrong password').first().waitFor();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(troubles).toEqual([]);
    },
  );

  it('is reached by the keyboard alone', async () => {
    await open();
    const focused = () => page.evaluate('document.activeElement.textContent');
    await page.keyboard.press('Tab');
    expect(await focused()).toContain('Skip to the content');
    for (let step = 0; step < 20 && (await focused()) !== 'Touchpoints'; step += 1) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Touchpoints' }).waitFor();
    await page.getByLabel('Code').focus();
    await page.keyboard.type('by-keyboard');
    await page.keyboard.press('Enter');
    await page.getByText('Its key is shown this once').waitFor();
    expect(troubles).toEqual([]);
  });

  it.each([
    ['light', 1280],
    ['light', 390],
    ['dark', 1280],
    ['dark', 390],
  ] as const)('has no barrier, and fits (%s, %i px)', async (colorScheme, width) => {
    await open({ colorScheme, viewport: { width, height: 900 } });
    const code = `seen-${colorScheme}-${width}`;
    const client = await createTouchpoint(code);
    const { email } = await register(client, { firstName: '<script>alert(1)</script>' });
    await find(email);
    const consumer = new URL(page.url()).pathname;
    const paths = ['/', '/touchpoints', `/touchpoints/${code}`, '/consumers', consumer, '/requests', '/audit'];
    for (const path of [...paths, '/messages', '/keys', '/operators', '/my-sessions', '/nothing', '/sign-in']) {
      await page.goto(site.baseUrl + path);
      const name = path.replace(consumer, '/consumer').replace(code, 'one').slice(1).replaceAll('/', '-') || 'overview';
      await shoot(`${name}-${colorScheme}-${width}`);
      expect([path, await violations()]).toEqual([path, []]);
      expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, width]);
    }
    expect(troubles.filter((trouble) => !trouble.includes('404'))).toEqual([]);
  });
});
