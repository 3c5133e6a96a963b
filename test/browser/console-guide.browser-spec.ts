import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { register } from '../support/api/consumers';
import { TestConsole } from '../support/console/console';
import { ConsoleWindow } from '../support/console/console-window';
import { launchChromium } from '../support/documents/browser';
import { until } from '../support/until';

const SHOTS = join(__dirname, '../../test-logs/console');
/** Those of the guide, which `UPDATE_IMAGES=yes` makes anew, each with the text that stood on the page. */
const IMAGES = join(__dirname, '../../docs/images');
/** The text of each, with digits that do not change. */
const TEXTS = join(__dirname, 'pictured');

/** What differs between two runs is left out. */
const lasting = (text: string): string =>
  text
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/g, 'TIME')
    .replace(/\d+/g, '0')
    .replace(/(Redis\s+)(answers|not used)/, '$1answers')
    .replace(/\s*\n\s*/g, '\n');

describe('the pictures of the console in its guide', () => {
  let site: TestConsole;
  let browser: Browser;
  let window: ConsoleWindow;

  beforeAll(async () => {
    mkdirSync(SHOTS, { recursive: true });
    site = await TestConsole.start();
    browser = await launchChromium();
    window = await ConsoleWindow.open(site, browser, { colorScheme: 'light', viewport: { width: 1280, height: 900 } });
    await window.signIn();
  });
  afterAll(() => browser.close());

  async function expectAsPictured(name: string): Promise<void> {
    const text = `${lasting(await window.page.locator('body').innerText())}\n`;
    const path = join(SHOTS, `guide-${name}.png`);
    await window.page.screenshot({ path, fullPage: true });
    if (process.env.UPDATE_IMAGES !== undefined) {
      copyFileSync(path, join(IMAGES, `${name}.png`));
      writeFileSync(join(TEXTS, `${name}.txt`), text);
    }
    expect(text).toBe(readFileSync(join(TEXTS, `${name}.txt`), 'utf8'));
  }

  it('show the pages as they are now', async () => {
    const client = await window.createTouchpoint('shop');
    const { email } = await register(client);
    await client.with({ 'X-Request-Id': 'refused' }).post('/api/v1/login', { identifier: email, password: 'wrong' });
    await window.explain('refused');
    await window.find(email);
    await expectAsPictured('console-consumer');
    await until(async () => {
      await window.page.goto(site.baseUrl);
      return window.page.getByText('INVALID_CREDENTIALS').isVisible();
    });
    await expectAsPictured('console-overview');
  });
});
