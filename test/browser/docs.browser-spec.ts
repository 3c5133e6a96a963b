import type { Browser, Locator, Page } from 'playwright-core';
import { launchChromium } from '../support/documents/browser';
import { TestService } from '../support/service/test-service';

const WIDTHS = [1280, 390];
const PAGES = ['/docs', '/docs/getting-started', '/docs/errors', '/docs/errors/VALIDATION_FAILED'];

describe('the documentation in a browser', () => {
  let app: TestService;
  let browser: Browser;
  let page: Page;
  /** What the page asked for elsewhere, and what went wrong in it. */
  let troubles: string[];

  beforeAll(async () => {
    [app, browser] = await Promise.all([TestService.shared(), launchChromium()]);
  });
  beforeEach(async () => {
    const context = await browser.newContext();
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
  });
  afterEach(() => page.context().close());
  afterAll(async () => {
    await browser.close();
  });

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

  it('lets a developer authorise, register a consumer and read the profile, and keeps no credential', async () => {
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
    expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage])')).toBe('[{},{}]');
    expect(troubles).toEqual([]);
  });

  it('fits a desktop and a phone, and loads nothing from elsewhere', async () => {
    for (const width of WIDTHS) {
      for (const path of PAGES) {
        await page.setViewportSize({ width, height: 900 });
        await page.goto(app.baseUrl + path, { waitUntil: 'networkidle' });
        const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
        expect({ path, width, overflow: Math.max(0, overflow as number) }).toEqual({ path, width, overflow: 0 });
        const directory = process.env.SCREENSHOT_DIR;
        if (directory !== undefined) {
          await page.screenshot({ path: `${directory}/${path.replaceAll('/', '_').slice(1)}-${width}.png` });
        }
      }
    }
    expect(troubles).toEqual([]);
  });
});
