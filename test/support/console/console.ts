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

let count = 0;

/** A service with its console. */
export class TestConsole {
  private constructor(
    readonly app: TestService,
    readonly baseUrl: string,
  ) {}

  static async start(options: TestServiceOptions = {}): Promise<TestConsole> {
    const port = options.env?.CONSOLE_PORT ?? String(await freePort());
    const app = await TestService.start({ ...options, env: { CONSOLE_PORT: port, ...options.env } });
    return new TestConsole(app, `http://127.0.0.1:${port}`);
  }

  newEmail(): string {
    count += 1;
    return `operator.${count}@example.com`;
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
