import type { Browser, Locator, Page } from 'playwright-core';
import { launchChromium } from '../support/documents/browser';
import { TestService } from '../support/service/test-service';

describe('the API reference in a browser', () => {
  let app: TestService;
  let browser: Browser;
  let page: Page;
  /** What the page asked for elsewhere, and what went wrong in it. */
  let troubles: string[];

  beforeAll(async () => {
    [app, browser] = await Promise.all([TestService.shared(), launchChromium()]);
  });
  beforeEach(() => open());
  afterEach(() => page.context().close());
  afterAll(async () => {
    await browser.close();
  });

  async function open(options: Parameters<Browser['newContext']>[0] = {}): Promise<void> {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(30_000);
    page = await context.newPage();
    troubles = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(app.baseUrl) && !request.url().startsWith('data:')) troubles.push(request.url());
    });
    page.on('pageerror', (error) => troubles.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') troubles.push(message.text());
    });
  }

  const operation = (id: string): Locator => page.locator(`[id="operations-Consumers-${id}"]`);

  async function authorize(values: Record<string, string>): Promise<void> {
    await page.locator('.auth-wrapper .btn.authorize').first().click();
    for (const [scheme, value] of Object.entries(values)) {
      const form = page.locator('.auth-container', { hasText: scheme }).first();
      await form.locator('input').fill(value);
      await form.locator('button.authorize').click();
    }
    await page.locator('.dialog-ux .btn-done').first().click();
  }

  /** What the operation answers when it is tried with the body that the page proposes. */
  async function tryOut(id: string): Promise<{ status: string; body: Record<string, unknown> }> {
    await operation(id).locator('.opblock-summary-control').click();
    await operation(id).locator('button.execute').click();
    const answer = operation(id).locator('.live-responses-table tbody tr').first();
    const status = await answer.locator('.response-col_status').innerText();
    const body = await answer.locator('.highlight-code code').first().innerText();
    return { status: status.trim(), body: JSON.parse(body) as Record<string, unknown> };
  }

  it('lets a developer authorise, register a consumer and read the profile, and keeps the credentials until a logout', async () => {
    const { headers } = await app.client();
    await page.goto(`${app.baseUrl}/docs`);
    await authorize({
      touchpointCode: headers['X-Touchpoint-Code'] ?? '',
      touchpointKey: headers['X-Touchpoint-Key'] ?? '',
    });
    const registered = await tryOut('postRegister');
    expect(registered).toMatchObject({ status: '201', body: { customerId: expect.any(String) as string } });

    await authorize({ bearer: registered.body.token as string });
    const { status, body } = await tryOut('getMe');
    expect(status).toBe('200');
    expect(body).toMatchObject({ customerId: registered.body.customerId, email: 'ada@example.com' });

    await page.goto(`${app.baseUrl}/docs/start`);
    await page.goto(`${app.baseUrl}/docs`);
    expect((await tryOut('getMe')).status).toBe('200');
    await page.locator('.auth-wrapper .btn.authorize').first().click();
    const logout = page.locator('.auth-container button', { hasText: 'Logout' });
    expect(await logout.count()).toBe(3);
    for (let left = 3; left > 0; left -= 1) await logout.first().click();
    const kept = await page.evaluate<string>('JSON.stringify([localStorage, sessionStorage])');
    for (const secret of [headers['X-Touchpoint-Key'] ?? '', registered.body.token as string]) {
      expect(kept).not.toContain(secret);
    }
    expect(troubles).toEqual([]);
  });

  it('follows the reader from light to dark and back', async () => {
    await page.goto(`${app.baseUrl}/docs`);
    await operation('getMe').waitFor();
    const colour = () =>
      page.evaluate<string>("getComputedStyle(document.querySelector('.swagger-ui .opblock-tag small')).color");
    const light = await colour();
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.locator('html.dark-mode').waitFor();
    expect(await colour()).not.toBe(light);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.locator('html:not(.dark-mode)').waitFor();
    expect(await colour()).toBe(light);
    expect(troubles).toEqual([]);
  });

  it.each([1280, 390])('asks for the code of the touchpoint first, in sight, at %i px', async (width) => {
    await page.setViewportSize({ width, height: 844 });
    await page.goto(`${app.baseUrl}/docs`);
    await page.locator('.auth-wrapper .btn.authorize').first().click();
    const forms = page.locator('.auth-container');
    const names = await forms.locator('h4 code').allInnerTexts();
    expect(names.slice(0, 3)).toEqual(['touchpointCode', 'touchpointKey', 'bearer']);
    const first = forms.first().locator('input');
    expect(await first.evaluate((input) => input === input.ownerDocument.activeElement)).toBe(true);
    expect(await page.locator('.modal-ux-content').evaluate(({ scrollTop }) => scrollTop)).toBe(0);
  });

  it('leads a reader without scripts to the document and the guides', async () => {
    await page.context().close();
    await open({ javaScriptEnabled: false });
    await page.goto(`${app.baseUrl}/docs`);
    const links = page.getByRole('main').getByRole('link');
    expect(await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')))).toEqual([
      '/openapi.json',
      '/docs/guides',
    ]);
  });
});
