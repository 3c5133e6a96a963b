import { register } from '../../support/api/consumers';
import { TestConsole } from '../../support/console/console';
import { FormBrowser } from '../../support/form-browser';
import { until } from '../../support/until';

describe('the console', () => {
  let site: TestConsole;

  beforeAll(async () => {
    site = await TestConsole.start();
  });

  it('explains a refused request by its id', async () => {
    const client = (await site.app.client()).with({ 'X-Request-Id': 'refused-login' });
    const { email } = await register(client);
    expect((await client.post('/api/v1/login', { identifier: email, password: 'wrong' })).status).toBe(401);
    const browser = await site.signedIn('SUPPORT');
    await until(async () => {
      await browser.get('/requests');
      await browser.submit('/requests', { request: 'refused-login' });
      return browser.text.includes('INVALID_CREDENTIALS');
    });
    expect([browser.status, browser.path]).toEqual([200, '/requests/refused-login']);
    expect(browser.text).toContain('wrong password');
    expect(browser.text).not.toContain(email);
    await browser.get('/requests');
    await browser.submit('/requests', { request: 'nobody-knows' });
    expect([browser.status, browser.text]).toEqual([404, expect.stringContaining('Nothing is recorded')]);
  });

  it('pages through the audit trail, by filters that stand in the address', async () => {
    const client = await site.app.client();
    const code = client.headers['X-Touchpoint-Code'] ?? '';
    const consumers = [await register(client)];
    while (consumers.length < 110) {
      consumers.push(...(await Promise.all(Array.from({ length: 10 }, () => register(client)))));
    }
    const browser = await site.signedIn('AUDITOR');
    await browser.get(`/audit?touchpoint=${code}`);
    const ids = () => [...new Set(browser.html.match(/[0-9a-f]{8}-[0-9a-f-]{27}/g) ?? [])];
    const older = browser.links.find((link) => link.includes('before='))?.replaceAll('&amp;', '&');
    expect(older).toContain(`touchpoint=${code}`);
    const newest = ids();
    await browser.get(older ?? '');
    expect(browser.text).toContain('touchpoint.created');
    expect(new Set([...newest, ...ids()]).size).toBeGreaterThanOrEqual(consumers.length);

    await browser.get(`/audit?consumer=${consumers[0]?.customerId}`);
    expect(browser.text).toContain('consumer.registered');
    for (const query of ['consumer=x', 'since=never', 'before=x']) {
      await browser.get(`/audit?${query}`);
      expect([query, browser.status]).toEqual([query, 400]);
    }
  });

  it('shows the queue of messages and the keys of tokens', async () => {
    const browser = await site.signedIn('OPERATOR');
    await browser.get('/messages');
    expect([browser.status, browser.text]).toEqual([200, expect.stringContaining('Messages')]);
    await browser.get('/keys');
    expect([browser.status, browser.text]).toEqual([200, expect.stringContaining('signing')]);
    await browser.get('/');
    expect(browser.text).toContain('Redis');
  });

  it('lets an administrator invite others, but not change the own access', async () => {
    const admin = await site.signedIn('ADMIN');
    await admin.get('/operators');
    await admin.submit('/operators', { email: 'nonsense', role: 'SUPPORT' });
    expect([admin.status, admin.text]).toEqual([400, expect.stringContaining('is not an e-mail address')]);
    await admin.submit('/operators', { email: admin.email, role: 'ADMIN' });
    expect([admin.status, admin.text]).toEqual([400, expect.stringContaining('You cannot change your own access')]);
    const email = site.newEmail();
    await admin.submit('/operators', { email, role: 'SUPPORT' });
    const [link = ''] = /http:\/\/[^<\s]*\/sign-in\/[\w-]+/.exec(admin.html) ?? [];
    const invited = new FormBrowser(site.baseUrl);
    await site.signIn(invited, link);
    expect([invited.path, invited.links.includes('/consumers'), invited.links.includes('/operators')]).toEqual([
      '/',
      true,
      false,
    ]);
    expect(await site.app.administer('operator', 'role', email, 'AUDITOR')).toMatchObject({ role: 'AUDITOR' });
    await invited.get('/consumers');
    expect(invited.status).toBe(403);
    const listed = await site.app.administer<{ email: string; role: string }[]>('operator', 'list');
    expect(listed.find((operator) => operator.email === email)).toMatchObject({ role: 'AUDITOR', disabledAt: null });
  });

  it('refuses what is no operator or role, by a line that says so', async () => {
    const refusal = async (...command: string[]) => (await site.app.cli('operator', ...command)).stderr;
    expect(await refusal('invite', 'x', '--role', 'ADMIN')).toBe('x is not an e-mail address\n');
    expect(await refusal('invite', 'a@example.com', '--role', 'KING')).toMatch(/^The role must be AUDITOR/);
    expect(await refusal('role', 'nobody@example.com', 'ADMIN')).toBe('There is no operator nobody@example.com\n');
    expect(await refusal('disable', 'nobody@example.com')).toBe('There is no operator nobody@example.com\n');
    await site.invite('SUPPORT', 'support@example.com');
    expect(await refusal('invite', 'support@example.com', '--role', 'ADMIN')).toBe(
      'support@example.com has the role SUPPORT: change the role first\n',
    );
  });
});
