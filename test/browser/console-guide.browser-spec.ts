import type { Browser } from 'playwright-core';
import { register } from '../support/api/consumers';
import { TestConsole } from '../support/console/console';
import { ConsoleWindow } from '../support/console/console-window';
import { launchChromium } from '../support/documents/browser';
import { expectAsPictured } from '../support/documents/pictured';
import { until } from '../support/until';

describe('the pictures of the console in its guide', () => {
  let site: TestConsole;
  let browser: Browser;
  let window: ConsoleWindow;

  beforeAll(async () => {
    site = await TestConsole.start();
    browser = await launchChromium();
    window = await ConsoleWindow.open(site, browser, { colorScheme: 'light', viewport: { width: 1280, height: 900 } });
    await window.signIn('ADMIN', { email: 'operator.1@example.com' });
  });
  afterAll(() => browser.close());

  it('show the pages as they are now', async () => {
    const client = await window.createTouchpoint('shop');
    const { email } = await register(client);
    await client.with({ 'X-Request-Id': 'refused' }).post('/api/v1/login', { identifier: email, password: 'wrong' });
    await window.explain('refused');
    await window.find(email);
    await expectAsPictured(window.page.locator('body'), 'console-consumer');
    await until(async () => {
      await window.page.goto(site.baseUrl);
      return window.page.getByText('INVALID_CREDENTIALS').isVisible();
    });
    await expectAsPictured(window.page.locator('body'), 'console-overview');
  });
});
