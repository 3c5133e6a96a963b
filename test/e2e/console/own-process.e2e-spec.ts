import { register } from '../../support/api/consumers';
import { ConsoleProcess } from '../../support/console/console-process';
import { FormBrowser } from '../../support/form-browser';
import { freePort } from '../../support/service/free-port';
import { TestService } from '../../support/service/test-service';

describe('the console in a process of its own', () => {
  let app: TestService;

  beforeAll(async () => {
    app = await TestService.shared();
  });

  /** The settings of the service, but for its ports. */
  const settings = (port: string) => ({ ...app.env, PORT: '0', METRICS_PORT: '', CONSOLE_PORT: port });

  it('shows the consumers of the API beside it, and ends by SIGTERM', async () => {
    const port = String(await freePort());
    const baseUrl = `http://127.0.0.1:${port}`;
    const console = await ConsoleProcess.start(settings(port), baseUrl);
    const { stdout } = await app.cliWith(
      { CONSOLE_PORT: port },
      ...['operator', 'invite', 'own.process@example.com', '--role', 'ADMIN', '--json'],
    );
    const { link } = JSON.parse(stdout) as { link: string };
    const browser = new FormBrowser(baseUrl);
    const path = link.slice(baseUrl.length);
    await browser.get(path);
    await browser.submit(path);
    expect([browser.path, browser.text]).toEqual(['/', expect.stringContaining('Database answers')]);

    const client = await app.client();
    const { email, token, customerId } = await register(client);
    await browser.get('/consumers');
    await browser.submit('/consumers', { search: email });
    expect(browser.path).toBe(`/consumers/${customerId}`);
    await browser.submit(`/consumers/${customerId}/end-session`);
    const { status } = await client.with({ Authorization: `Bearer ${token}` }).get('/api/v1/me');
    expect(status).toBe(401);

    await browser.get('/touchpoints');
    await browser.submit('/touchpoints', { code: 'elsewhere' });
    expect(browser.text).toContain('put in the address of the API');
    expect(browser.text).toContain('export API=https://… curl -i &quot;$API/api/v1/reference/countries&quot;');

    const api = await fetch(`${baseUrl}/api/v1/me`, { redirect: 'manual' });
    expect([api.status, api.headers.get('location')]).toEqual([303, '/sign-in']);
    expect((await console.ended('SIGTERM')).exitCode).toBe(0);
  });

  it('does not start without a port', async () => {
    const { exitCode, output } = await ConsoleProcess.launch(settings('off')).ended();
    expect([exitCode, output]).toEqual([1, expect.stringContaining('CONSOLE_PORT: is required for the console')]);
  });
});
