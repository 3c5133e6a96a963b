import type { Browser } from 'playwright-core';
import { register } from '../support/api/consumers';
import { TestConsole } from '../support/console/console';
import { ConsoleWindow } from '../support/console/console-window';
import { launchChromium } from '../support/documents/browser';

describe('the console in a browser', () => {
  let site: TestConsole;
  let browser: Browser;
  let window: ConsoleWindow;

  beforeAll(async () => {
    [site, browser] = await Promise.all([TestConsole.start(), launchChromium()]);
  });
  afterAll(() => browser.close());
  afterEach(() => window.close());

  it.each([true, false])(
    'leads from a link to a touchpoint, its consumer, and an explained refusal (script: %s)',
    async (javaScriptEnabled) => {
      window = await ConsoleWindow.open(site, browser, { javaScriptEnabled, viewport: { width: 1280, height: 900 } });
      const { page } = window;
      await window.signIn();
      const client = await window.createTouchpoint(`shop-${javaScriptEnabled ? 'with' : 'without'}`);
      const { email, token } = await register(client);
      await window.find(email);
      await window.field('Reason').fill('ticket 4711');
      await window.button('Reveal').click();
      await page.getByText(email).waitFor();
      await window.button('End session').click();
      if (javaScriptEnabled) {
        const dialog = page.getByRole('dialog', { name: 'End this session?' });
        await dialog.getByText('The consumer has to log in again there.').waitFor();
        await dialog.getByRole('button', { name: 'End session' }).click();
      }
      await page.getByText('signed in nowhere').waitFor();
      expect((await client.as(token).get('/api/v1/me')).status).toBe(401);

      const requestId = `login-${javaScriptEnabled}`;
      await client.with({ 'X-Request-Id': requestId }).post('/api/v1/login', { identifier: email, password: 'wrong' });
      await window.explain(requestId);
      await page.getByText('wrong password').first().waitFor();
      await window.button('Sign out').click();
      await window.heading('Sign in').waitFor();
      expect(window.troubles.filter((trouble) => !trouble.includes('404'))).toEqual([]);
    },
  );

  it('is used by the keyboard alone, from the sign-in to an explained refusal', async () => {
    window = await ConsoleWindow.open(site, browser);
    const { page } = window;
    const { keyboard } = page;
    await window.signIn('ADMIN', { press: (button) => window.press(button) });
    await keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toContain('Skip to the content');
    await window.press(window.link('Touchpoints'));
    await window.tabTo(window.field('Code'));
    await keyboard.type('by-keyboard');
    await window.tabTo(window.field('Rate limit'));
    await keyboard.type('unlimited');
    await keyboard.press('Enter');
    const client = await window.clientOf('by-keyboard');
    const { email, token } = await register(client);

    await window.press(window.link('Consumers'));
    await window.tabTo(window.field('E-mail, phone or customer id'));
    await keyboard.type(email);
    await keyboard.press('Enter');
    await window.heading('Profile').waitFor();
    await window.tabTo(window.field('Reason'));
    await keyboard.type('ticket 4711');
    await keyboard.press('Enter');
    await page.getByText(email).waitFor();
    await window.press(window.button('End session'));
    // What hurts is not the first thing that Enter does.
    await keyboard.press('Enter');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await keyboard.press('Enter');
    await window.press(page.getByRole('dialog').getByRole('button', { name: 'End session' }));
    await page.getByText('signed in nowhere').waitFor();
    expect((await client.as(token).get('/api/v1/me')).status).toBe(401);

    await client
      .with({ 'X-Request-Id': 'by-keyboard' })
      .post('/api/v1/login', { identifier: email, password: 'wrong' });
    await window.press(window.link('Requests'));
    // A refusal is recorded within a second.
    await page.waitForTimeout(1_000);
    await window.tabTo(window.field('Request'));
    await keyboard.type('by-keyboard');
    await keyboard.press('Enter');
    await page.getByText('wrong password').first().waitFor();
    await window.press(window.button('Sign out'));
    await window.heading('Sign in').waitFor();
    expect(window.troubles).toEqual([]);
  });
});
