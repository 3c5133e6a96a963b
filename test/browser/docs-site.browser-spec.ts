import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchChromium, violations } from '../support/documents/browser';
import { DocumentationSite } from '../support/documents/site';
import { TestService } from '../support/service/test-service';

/** Where the screenshots go, to be looked at. */
const SHOTS = join(__dirname, '../../test-logs/docs');

describe('the documentation site in a browser', () => {
  let app: TestService;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let troubles: string[];

  beforeAll(async () => {
    mkdirSync(SHOTS, { recursive: true });
    [app, browser] = await Promise.all([TestService.shared(), launchChromium()]);
  });
  afterAll(() => browser.close());
  afterEach(() => context.close());

  async function open(options: Parameters<Browser['newContext']>[0] = {}): Promise<void> {
    context = await browser.newContext(options);
    context.setDefaultTimeout(30_000);
    page = await context.newPage();
    troubles = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(app.baseUrl) && !request.url().startsWith('data:')) troubles.push(request.url());
    });
    // Also what the Content-Security-Policy has refused.
    page.on('console', (message) => {
      if (message.type() === 'error') troubles.push(message.text());
    });
    page.on('pageerror', (error) => troubles.push(error.message));
  }
  const go = (path: string) => page.goto(app.baseUrl + path, { waitUntil: 'networkidle' });
  const focused = () => page.evaluate<string>('document.activeElement.textContent');
  const search = () => page.getByRole('searchbox', { name: 'Search the documentation' });
  const tabs = () => page.getByRole('tablist').first().getByRole('tab');
  const chosen = () => page.getByRole('tab', { selected: true }).first();

  it.each([
    ['light', 1280],
    ['light', 390],
    ['dark', 1280],
    ['dark', 390],
  ] as const)('has no barrier on any page, and fits (%s, %i px)', async (colorScheme, width) => {
    await open({ colorScheme, viewport: { width, height: 900 } });
    for (const { address } of await new DocumentationSite(app.baseUrl).allPages()) {
      await go(address);
      await page.screenshot({
        path: join(SHOTS, `${address.slice(1).replaceAll('/', '-')}-${colorScheme}-${width}.png`),
      });
      expect([address, await violations(page)]).toEqual([address, []]);
      expect([address, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([address, width]);
    }
    expect(troubles).toEqual([]);
  });

  it('fits the narrowest phone, where its menu leads to every page', async () => {
    await open({ viewport: { width: 320, height: 640 } });
    const pages = await new DocumentationSite(app.baseUrl).pages();
    for (const { address } of pages) {
      await go(address);
      expect([address, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([address, 320]);
    }
    await page.getByText('Menu', { exact: true }).click();
    const menu = page.getByRole('navigation', { name: 'All pages' });
    expect(await menu.getByRole('link').count()).toBe(pages.length);
    await page.screenshot({ path: join(SHOTS, 'menu-320.png') });
    expect(await violations(page)).toEqual([]);
    await menu.getByRole('link', { name: 'Sandbox' }).click();
    await page.getByRole('heading', { name: 'Sandbox', level: 1 }).waitFor();
    expect(troubles).toEqual([]);
  });

  it('shows one language of the code, chosen by the keyboard and kept on the next pages', async () => {
    await open();
    await go('/docs/start');
    const names = await tabs().allInnerTexts();
    expect(names).toEqual(expect.arrayContaining(['curl', 'TypeScript']));
    expect(await chosen().innerText()).toBe(names[0]);
    await chosen().focus();
    await page.keyboard.press('ArrowRight');
    expect([await focused(), await chosen().innerText()]).toEqual([names[1], names[1]]);
    expect(await page.locator('code.language-ts:visible').count()).toBeGreaterThan(1);
    expect(await page.locator('.tabs code.language-sh:visible').count()).toBe(0);
    await page.keyboard.press('Tab');
    expect(await focused()).toContain('await fetch');
    await page.reload();
    expect(await chosen().innerText()).toBe(names[1]);
    await chosen().focus();
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowRight');
    expect([await focused(), await chosen().innerText()]).toEqual([names[0], names[0]]);
    expect(troubles).toEqual([]);
  });

  it('copies what a block shows', async () => {
    await open({ permissions: ['clipboard-read', 'clipboard-write'] });
    await go('/docs/start');
    const button = page.getByRole('button', { name: 'Copy' }).first();
    const [above, code] = await Promise.all([button, page.locator('pre code').first()].map((one) => one.boundingBox()));
    expect((above?.y ?? NaN) + (above?.height ?? NaN)).toBeLessThanOrEqual(code?.y ?? NaN);
    await button.click();
    await page.getByText('Copied').first().waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^export API=\S+\nexport TOUCHPOINT_CODE=/);
  });

  it('finds a heading by words with a mistake in them, and leads there by the keyboard', async () => {
    await open();
    await go('/docs/start');
    await page.keyboard.press('Tab');
    expect(await focused()).toContain('Skip to the content');
    await search().focus();
    await page.keyboard.type('idempotancy');
    await page.locator('#results a').first().waitFor();
    await page.screenshot({ path: join(SHOTS, 'search.png') });
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    expect(await focused()).toMatch(/idempotency/i);
    await page.keyboard.press('Escape');
    expect(await page.locator('#results').isVisible()).toBe(false);
    await search().fill('free the key refusal');
    await page.getByRole('link', { name: /^Idempotency/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/limits#idempotency');
    await search().fill('xyzzy');
    await page.getByText('Nothing was found.').waitFor();
    expect(troubles).toEqual([]);
  });

  it.each([
    ['forgotten password', 'Forgot password'],
    ['login', 'Login and logout'],
    ['LOGIN_THROTTLED', 'LOGIN_THROTTLED'],
  ])('finds by "%s" first of all: %s', async (query, title) => {
    await open();
    await go('/docs/start');
    await search().fill(query);
    expect(await page.locator('#results a b').first().innerText()).toBe(title);
  });

  it('finds an error by its code, its status or its words', async () => {
    await open();
    await go('/docs/errors');
    const rows = () => page.locator('tbody tr:visible').allInnerTexts();
    const all = (await rows()).length;
    const filter = page.getByLabel('Find an error');
    await filter.fill('410 code');
    expect(await rows()).toEqual([
      expect.stringContaining('CODE_EXPIRED'),
      expect.stringContaining('CODE_ATTEMPTS_EXCEEDED'),
    ]);
    await page.getByText(`2 of ${all}`).waitFor();
    await filter.fill('xyzzy');
    await page.getByText('Nothing matches.').waitFor();
    expect(await page.getByRole('table').count()).toBe(0);
    await filter.fill('');
    expect(await rows()).toHaveLength(all);
  });

  it('can be read without a script: every language, no search, no buttons', async () => {
    await open({ javaScriptEnabled: false });
    await go('/docs/start');
    expect(await page.getByRole('heading', { name: 'TypeScript' }).count()).toBeGreaterThan(1);
    expect(await page.locator('.tabs .code:visible').count()).toBe(await page.locator('.tabs .code').count());
    expect(await page.getByRole('searchbox').count()).toBe(0);
    expect(await page.getByRole('button').count()).toBe(0);
    await go('/docs/errors');
    expect(await page.getByLabel('Find an error').count()).toBe(0);
  });

  it('prints the page alone', async () => {
    await open({ viewport: { width: 1280, height: 900 } });
    await go('/docs/limits');
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('nav:visible, button:visible, input:visible, summary:visible').count()).toBe(0);
    expect(await page.getByRole('heading', { name: 'Retries', level: 2, exact: true }).isVisible()).toBe(true);
  });
});
