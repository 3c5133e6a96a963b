import { randomUUID } from 'node:crypto';
import type { ApiClient } from '../../support/api/api-client';
import { newPhone, PASSWORD, register } from '../../support/api/consumers';
import { logIn } from '../../support/api/traceable-person';
import { TestConsole } from '../../support/console/console';
import type { FormBrowser } from '../../support/form-browser';

const HOSTILE = `<img src=x onerror=alert(1)>`;

interface Event {
  type: string;
  operator: string | null;
  details: Record<string, unknown>;
}

describe('a consumer in the console', () => {
  let site: TestConsole;
  let client: ApiClient;
  let browser: FormBrowser & { email: string };

  beforeAll(async () => {
    site = await TestConsole.start({ clock: 'stopped' });
    client = await site.app.client();
    browser = await site.signedIn('SUPPORT');
  });

  const search = async (text: string) => {
    await browser.get('/consumers');
    await browser.submit('/consumers', { search: text });
  };
  const looksAt = async (customerId: string) =>
    (await site.app.administer<Event[]>('audit', 'list', '--consumer', customerId)).filter(
      ({ operator }) => operator === browser.email,
    );

  it('is found by exactly the e-mail address, phone number or customer id, and by nothing less', async () => {
    const phone = newPhone();
    const { customerId, email } = await register(client, { phone });
    for (const text of [email, email.toUpperCase(), phone, customerId, ` ${customerId} `]) {
      await search(text);
      expect([text, browser.status, browser.path]).toEqual([text, 200, `/consumers/${customerId}`]);
    }
    for (const text of ['', email.slice(1), '%', randomUUID(), 'Lovelace']) {
      await search(text);
      expect([text, browser.status]).toEqual([text, 404]);
    }
  });

  it('is masked until somebody says why it must be seen, and the trail keeps who looked and why', async () => {
    const { customerId, email } = await register(client, { firstName: HOSTILE, birthDate: '1815-12-10' });
    await search(customerId);
    expect(browser.text).toContain('a***@e***.com');
    for (const secret of [email, '1815', 'Lovelace', 'onerror']) expect(browser.html).not.toContain(secret);

    await browser.submit(`/consumers/${customerId}/reveal`, { reason: '  ' });
    expect([browser.status, browser.text]).toEqual([400, expect.stringContaining('Reason must say why')]);
    await browser.submit(`/consumers/${customerId}/reveal`, { reason: 'ticket 4711' });
    expect(browser.text).toContain(email);
    expect(browser.text).toContain('1815-12-10');
    expect(browser.html).toContain('&lt;img src=x onerror=alert(1)>');
    expect(browser.html).not.toContain(HOSTILE);

    const looks = (await looksAt(customerId)).map(({ type, details }) => [type, details]);
    expect(looks).toEqual(
      expect.arrayContaining([
        ['consumer.searched', { found: true }],
        ['consumer.viewed', {}],
        ['consumer.revealed', { reason: 'ticket 4711' }],
      ]),
    );
  });

  it('is signed out of one session, and of all', async () => {
    const { customerId, email, token } = await register(client);
    const second = (await logIn(client, email)).body.token;
    const statusOf = async (bearer: string) => (await client.as(bearer).get('/api/v1/me')).status;
    await search(customerId);
    await browser.submit(`/consumers/${customerId}/end-session`);
    expect([await statusOf(token), await statusOf(second)].sort()).toEqual([200, 401]);
    const third = (await logIn(client, email)).body.token;
    await browser.get(`/consumers/${customerId}`);
    await browser.submit(`/consumers/${customerId}/end-sessions`);
    expect([await statusOf(token), await statusOf(second), await statusOf(third)]).toEqual([401, 401, 401]);
    expect(browser.text).toContain('signed in nowhere');
  });

  it('is disabled and enabled again, with a reason', async () => {
    const { customerId, email } = await register(client);
    const login = async () => (await client.post('/api/v1/login', { identifier: email, password: PASSWORD })).status;
    await search(customerId);
    await browser.submit(`/consumers/${customerId}/disable`, { reason: 'a stolen account' });
    expect([await login(), browser.text]).toEqual([401, expect.stringContaining('Disabled since')]);
    await browser.submit(`/consumers/${customerId}/enable`, { reason: 'the owner called' });
    expect(await login()).toBe(200);
  });

  it('is exported and erased by an administrator only after a recent sign-in, and after typing the id', async () => {
    const { customerId, email } = await register(client);
    const admin = await site.signedIn('ADMIN');
    const path = `/consumers/${customerId}`;
    await admin.get(path);
    await admin.submit(`${path}/erase`, { confirmation: email });
    expect([admin.status, admin.text]).toEqual([400, expect.stringContaining('Nothing was erased')]);
    await admin.submit(`${path}/export`);
    expect(JSON.parse(admin.html)).toMatchObject({ profile: { email } });

    await admin.get(path);
    await site.app.clock.advance({ minutes: 16 });
    await admin.submit(`${path}/erase`, { confirmation: customerId });
    expect([admin.status, admin.text]).toEqual([403, expect.stringContaining('Nothing has been done')]);
    const again = await site.signedIn('ADMIN', admin.email);
    await again.get(path);
    await again.submit(`${path}/erase`, { confirmation: customerId });
    expect([again.status, again.text]).toEqual([200, expect.stringContaining('has been erased')]);
    await again.get(path);
    expect(again.status).toBe(404);
  });
});
