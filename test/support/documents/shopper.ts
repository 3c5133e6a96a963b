import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { PASSWORD } from '../api/consumers';
import { BEST_PRACTICES, violations } from './browser';
import { ROOT } from './pages';

/** Where the screenshots go, to be looked at. */
const SHOTS = join(ROOT, 'test-logs/shop');

/** Somebody in the example shop, with a browser of their own. */
export class Shopper {
  /** What the browser complained of, such as what the Content-Security-Policy has refused. */
  readonly troubles: string[] = [];

  private constructor(
    private readonly baseUrl: string,
    private readonly context: BrowserContext,
    readonly page: Page,
  ) {}

  static async enter(browser: Browser, baseUrl: string, options: BrowserContextOptions = {}): Promise<Shopper> {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(60_000);
    const shopper = new Shopper(baseUrl, context, await context.newPage());
    shopper.page.on('console', (message) => {
      // A form with a mistake is answered with 400.
      const isRefusal = message.text().includes('the server responded with a status of 4');
      if (message.type() === 'error' && !isRefusal) shopper.troubles.push(message.text());
    });
    shopper.page.on('pageerror', (error) => shopper.troubles.push(error.message));
    await shopper.visit('/');
    return shopper;
  }

  async visit(path: string): Promise<void> {
    await this.page.goto(this.baseUrl + path);
  }

  async follow(link: string): Promise<void> {
    await this.page.getByRole('link', { name: link, exact: true }).first().click();
  }

  async press(button: string): Promise<void> {
    await this.page.getByRole('button', { name: button, exact: true }).click();
  }

  async fill(label: string, value: string): Promise<void> {
    await this.page.getByLabel(label, { exact: true }).fill(value);
  }

  /** Waits for a text. */
  async see(text: string): Promise<void> {
    await this.page.getByText(text).first().waitFor();
  }

  async seePage(heading: string): Promise<void> {
    await this.page.getByRole('heading', { name: heading, level: 1 }).waitFor();
  }

  async cookie() {
    return (await this.context.cookies()).find(({ name }) => name === 'shop');
  }

  /** Until the page that asks for the code. */
  async register(email: string): Promise<void> {
    await this.follow('Register');
    await this.fill('First name', 'Ada');
    await this.fill('Last name', 'Lovelace');
    await this.fill('E-mail', email);
    await this.fill('Password', PASSWORD);
    await this.press('Register');
    await this.seePage('Confirm your address');
  }

  async confirm(code: string): Promise<void> {
    await this.fill('Code', code);
    await this.press('Confirm');
  }

  async signIn(identifier: string, password: string): Promise<void> {
    await this.follow('Sign in');
    await this.fill('E-mail or phone', identifier);
    await this.fill('Password', password);
    await this.press('Sign in');
  }

  /** Until the page that asks for the code and a new password. */
  async forget(identifier: string): Promise<void> {
    await this.follow('Sign in');
    await this.follow('Forgot your password?');
    await this.fill('E-mail or phone', identifier);
    await this.press('Send a code');
    await this.seePage('Choose a new password');
  }

  /** Takes a screenshot, and tells what is in the way of people: violations of axe's rules, and pixels beyond the window. */
  async look(name: string): Promise<{ violations: unknown; overflow: unknown }> {
    mkdirSync(SHOTS, { recursive: true });
    await this.page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true });
    const overflow = await this.page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
    return { violations: await violations(this.page, BEST_PRACTICES), overflow };
  }

  leave(): Promise<void> {
    return this.context.close();
  }
}
