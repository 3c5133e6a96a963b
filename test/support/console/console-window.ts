import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { ApiClient } from '../api/api-client';
import { until } from '../until';
import type { RoleName, TestConsole } from './console';

/** A window of a real browser in which somebody uses the console. */
export class ConsoleWindow {
  /** What went wrong in it; also what the Content-Security-Policy has refused. */
  readonly troubles: string[] = [];

  private constructor(
    private readonly site: TestConsole,
    private readonly context: BrowserContext,
    readonly page: Page,
  ) {
    page.on('console', (message) => {
      if (message.type() === 'error') this.troubles.push(message.text());
    });
    page.on('pageerror', (error) => this.troubles.push(error.message));
    page.on('dialog', (dialog) => {
      this.troubles.push(dialog.message());
      void dialog.dismiss();
    });
  }

  /** One in which nobody has signed in yet. */
  static async open(site: TestConsole, browser: Browser, options: BrowserContextOptions = {}): Promise<ConsoleWindow> {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(30_000);
    return new ConsoleWindow(site, context, await context.newPage());
  }

  close(): Promise<void> {
    return this.context.close();
  }

  /** By a link, whose address is answered. */
  async signIn(
    role: RoleName = 'ADMIN',
    { email, press = (button) => button.click() }: { email?: string; press?: (button: Locator) => Promise<void> } = {},
  ): Promise<string> {
    const { link } = await this.site.invite(role, email);
    await this.page.goto(link);
    await press(this.button('Sign in'));
    await this.heading('Overview').waitFor();
    return link;
  }

  link = (name: string) => this.page.getByRole('navigation').getByRole('link', { name, exact: true });
  button = (name: string) => this.page.getByRole('button', { name, exact: true });
  heading = (name: string) => this.page.getByRole('heading', { name, exact: true });
  field = (label: string) => this.page.getByLabel(label, { exact: true }).first();

  async go(name: string): Promise<void> {
    await this.openMenu();
    await this.link(name).click();
  }

  /** On a narrow screen, where the pages are behind a button. */
  async openMenu(): Promise<void> {
    // Before the style sheet is there, the button can be seen on every screen.
    await this.page.waitForLoadState('load');
    const menu = this.page.locator('details.menu');
    if ((await menu.isVisible()) && !(await menu.evaluate((element) => element.hasAttribute('open')))) {
      await menu.locator('summary').click();
    }
  }

  /** Presses Tab until this has the focus. */
  async tabTo(target: Locator): Promise<void> {
    await target.waitFor();
    for (let step = 0; step < 100; step += 1) {
      if (await target.evaluate((element) => element === document.activeElement)) return;
      await this.page.keyboard.press('Tab');
    }
    throw new Error('The keyboard does not reach it');
  }

  async press(target: Locator): Promise<void> {
    await this.tabTo(target);
    await this.page.keyboard.press('Enter');
  }

  async createTouchpoint(code: string): Promise<ApiClient> {
    await this.go('Touchpoints');
    await this.field('Code').fill(code);
    await this.field('Name').fill('The shop');
    await this.field('Rate limit').fill('unlimited');
    await this.button('Create touchpoint').click();
    return this.clientOf(code);
  }

  /** With the key that is shown. */
  async clientOf(code: string): Promise<ApiClient> {
    const key = await this.page.locator('dd code[data-copy]').innerText();
    return new ApiClient(this.site.app.baseUrl, { 'X-Touchpoint-Code': code, 'X-Touchpoint-Key': key });
  }

  async find(text: string): Promise<void> {
    await this.go('Consumers');
    await this.field('E-mail, phone or customer id').fill(text);
    await this.button('Search').click();
    await this.heading('Profile').waitFor();
  }

  /** Presses a button that hurts, and so asks once more where there is a script. */
  async confirm(act: string): Promise<void> {
    await this.button(act).first().click();
    await this.page.getByRole('dialog').getByRole('button', { name: act }).click();
  }

  /** A refusal is recorded a moment after it was answered. */
  async explain(requestId: string): Promise<void> {
    await until(async () => {
      await this.page.goto(`${this.site.baseUrl}/requests`);
      await this.field('Request').fill(requestId);
      await this.button('Search').click();
      return this.heading(`Request ${requestId}`).isVisible();
    });
  }
}
