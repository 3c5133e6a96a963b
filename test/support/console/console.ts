import { randomUUID } from 'node:crypto';
import { FormBrowser } from '../form-browser';
import { freePort } from '../service/free-port';
import { TestService, type TestServiceOptions } from '../service/test-service';

export type RoleName = 'AUDITOR' | 'SUPPORT' | 'OPERATOR' | 'ADMIN';

interface Invitation {
  email: string;
  role: RoleName;
  link: string;
  expiresAt: string;
}

/** A service with its console. */
export class TestConsole {
  readonly baseUrl: string;

  private constructor(readonly app: TestService) {
    this.baseUrl = `http://127.0.0.1:${app.env.CONSOLE_PORT}`;
  }

  /** The console of `TestService.shared()`. */
  static async shared(): Promise<TestConsole> {
    return new TestConsole(await TestService.shared());
  }

  /** The console of `TestService.withStoppedClock()`. */
  static async withStoppedClock(): Promise<TestConsole> {
    return new TestConsole(await TestService.withStoppedClock());
  }

  /** That of a service of its own. */
  static async start(options: TestServiceOptions = {}): Promise<TestConsole> {
    const env = { CONSOLE_PORT: String(await freePort()), ...options.env };
    return new TestConsole(await TestService.start({ ...options, env }));
  }

  newEmail(): string {
    return `operator.${randomUUID()}@example.com`;
  }

  /** A one-time link, as the command line prints it. */
  invite(role: RoleName, email = this.newEmail()): Promise<Invitation> {
    return this.app.administer<Invitation>('operator', 'invite', email, '--role', role);
  }

  /** Somebody who has signed in by a link. */
  async signedIn(role: RoleName, email = this.newEmail()): Promise<FormBrowser & { email: string }> {
    const browser = new FormBrowser(this.baseUrl);
    await this.signIn(browser, (await this.invite(role, email)).link);
    if (browser.path !== '/') throw new Error(`Signing in ended at ${browser.path}: ${browser.text}`);
    return Object.assign(browser, { email });
  }

  async signIn(browser: FormBrowser, link: string): Promise<void> {
    const path = link.slice(this.baseUrl.length);
    await browser.get(path);
    await browser.submit(path);
  }
}
