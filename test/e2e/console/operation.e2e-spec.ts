import { randomUUID } from 'node:crypto';
import { PASSWORD, register } from '../../support/api/consumers';
import { TestConsole } from '../../support/console/console';
import { TcpProxy } from '../../support/faults/tcp-proxy';
import { FormBrowser } from '../../support/form-browser';
import { freePort } from '../../support/service/free-port';
import { TestService } from '../../support/service/test-service';
import { until } from '../../support/until';

describe('the console', () => {
  let site: TestConsole;
  let replica: TestService;

  beforeAll(async () => {
    site = await TestConsole.start();
    replica = await TestService.start({ replicaOf: site.app });
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
    expect(browser.text).toMatch(/What to tell the partner .*Let the consumer try again, or recover the account\./);
    expect(browser.text).not.toContain('](/docs');
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
    await browser.get(`/audit?touchpoint=${code}&since=1h`);
    expect([browser.status, browser.text]).toEqual([200, expect.stringContaining('consumer.registered')]);
    for (const query of ['consumer=x', 'since=never', 'since=1', 'since=May%201', 'before=x']) {
      await browser.get(`/audit?${query}`);
      expect([query, browser.status, browser.text]).toEqual([query, 400, expect.not.stringContaining('No event')]);
    }
  });

  it('hands out the audit trail as a file for spreadsheets, in which nothing is calculated', async () => {
    const client = await site.app.client();
    const code = client.headers['X-Touchpoint-Code'] ?? '';
    const { customerId } = await register(client.with({ 'X-Request-Id': '-1.5' }));
    const browser = await site.signedIn('ADMIN');
    await browser.get(`/consumers/${customerId}`);
    await browser.submit(`/consumers/${customerId}/reveal`, { reason: '=HYPERLINK("https://evil.example"), "quoted"' });
    await browser.get(`/audit?touchpoint=${code}`);
    const link = browser.links.find((href) => href.startsWith('/audit.csv?'))?.replaceAll('&amp;', '&') ?? '';
    await browser.get(link);
    expect(browser.status).toBe(200);
    const [head, newest] = browser.html.split('\r\n');
    expect(head).toBe('at,event,outcome,reason,times,actor,operator,touchpoint,consumer,request,details');
    expect(newest).toContain(`consumer.registered,done,,1,touchpoint,,${code},${customerId},'-1.5,`);
    await browser.get(`/audit.csv?consumer=${customerId}`);
    expect(browser.html).toContain('""reason"":""=HYPERLINK(');
    await browser.get('/audit.csv?consumer=nobody');
    expect(browser.status).toBe(404);
  });

  it('is not there where it is off', () => {
    expect(replica.log).toContain('The service is ready');
    expect(replica.log).not.toContain('The console is ready');
  });

  it('adds up what every replica did in an hour, also one that has no console', async () => {
    const client = await site.app.client();
    for (const each of [client, client, client, client.at(replica.baseUrl), client.at(replica.baseUrl)]) {
      expect((await each.get('/api/v1/me')).status).toBe(401);
    }
    const { email } = await register(client);
    await client.post('/api/v1/login', { identifier: email, password: PASSWORD });
    const browser = await site.signedIn('AUDITOR');
    const sums = [
      /aria-label="Logins: [1-9]\d* in all, [1-9]\d* in the busiest hour"/,
      /aria-label="Registrations: [1-9]/,
      /aria-label="Refusals: [1-9]/,
    ];
    await until(async () => {
      await browser.get('/');
      return browser.text.includes('UNAUTHENTICATED 5 ') && sums.every((sum) => sum.test(browser.html));
    });
  });

  it('says that the database is away, by a page that is 503, and goes on when it is back', async () => {
    const { proxy, url } = await TcpProxy.toDatabase(site.app.databaseUrl);
    const port = await freePort();
    const env = { DATABASE_URL: url, CONSOLE_PORT: String(port) };
    const cutOff = await TestService.start({ replicaOf: site.app, env });
    const browser = new FormBrowser(`http://127.0.0.1:${port}`);
    const { link } = await site.invite('ADMIN');
    const path = new URL(link).pathname;
    await browser.get(path);
    await browser.submit(path);
    expect(browser.path).toBe('/');
    proxy.takeAway();
    await browser.get('/touchpoints');
    expect([browser.status, browser.text]).toEqual([503, expect.stringContaining('The database cannot be reached')]);
    const form = new URLSearchParams({ form: randomUUID(), code: `shop-${randomUUID()}` });
    await browser.send('POST', '/touchpoints', form);
    expect([browser.status, browser.text]).toEqual([503, expect.stringContaining('look whether it was done')]);
    expect(cutOff.log).toContain('The database did not answer a page of the console');
    proxy.giveBack();
    await until(async () => {
      await browser.get('/touchpoints');
      return browser.status === 200;
    });
    await browser.send('POST', '/touchpoints', form);
    expect([browser.status, browser.text]).toEqual([200, expect.stringContaining('has been created')]);
    await cutOff.close();
    proxy.stop();
  });

  it('takes a form again whose act has failed, and says of one that was sent before only that', async () => {
    const browser = await site.signedIn('ADMIN');
    const form = new URLSearchParams({ form: randomUUID(), code: `shop-${randomUUID()}` });
    await site.app.query('ALTER TABLE touchpoint RENAME TO touchpoint_away');
    await browser.send('POST', '/touchpoints', form);
    expect([browser.status, browser.text]).toEqual([500, expect.stringContaining('look whether it was done')]);
    await site.app.query('ALTER TABLE touchpoint_away RENAME TO touchpoint');
    await browser.send('POST', '/touchpoints', form);
    expect([browser.status, browser.text]).toEqual([200, expect.stringContaining('has been created')]);
    await browser.send('POST', '/touchpoints', form);
    expect([browser.status, browser.text]).toEqual([409, expect.stringContaining('has been sent before')]);
    expect(site.app.log).toContain('"route":"/touchpoints"');
  });

  it('shows how the service is, and the keys of tokens', async () => {
    const browser = await site.signedIn('OPERATOR');
    await browser.get('/keys');
    expect([browser.status, browser.text]).toEqual([200, expect.stringMatching(/[\w-]{20,} signing/)]);
    await browser.get('/');
    expect(browser.text).toMatch(/State ready Database answers Redis (answers|not used) /);
    expect(browser.text).toContain('Waiting 0 Waiting for another attempt 0 Given up in the last 30 days 0');
  });

  it('shows old keys of a rotation until they end', async () => {
    const client = await site.app.client();
    const code = client.headers['X-Touchpoint-Code'] ?? '';
    await site.app.administer('touchpoint', 'rotate-key', code, '--overlap', '2h');
    const browser = await site.signedIn('AUDITOR');
    await browser.get('/');
    const old = (client.headers['X-Touchpoint-Key'] ?? '').slice(-4);
    expect(browser.text).toContain(`${code} …${old}`);
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
