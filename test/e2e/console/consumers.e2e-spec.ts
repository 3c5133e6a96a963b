import { randomUUID } from 'node:crypto';
import type { ApiClient } from '../../support/api/api-client';
import { newPhone, PASSWORD, register } from '../../support/api/consumers';
import { newVerified } from '../../support/api/recovery';
import { logIn } from '../../support/api/traceable-person';
import { TestConsole } from '../../support/console/console';
import type { FormBrowser } from '../../support/form-browser';
import { delivered } from '../../support/messages/mailbox';

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
    site = await TestConsole.withStoppedClock();
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
    await browser.get(`/consumers/${customerId}`);
    expect(browser.text).toContain(`consumer.revealed done operator ${browser.email}`);
    expect(browser.text).toContain('{&quot;reason&quot;:&quot;ticket 4711&quot;}');
  });

  it('has the newest 50 events beside it, and the others under Audit for who may read it', async () => {
    const { customerId } = await register(client);
    await site.app.query(
      `INSERT INTO audit_event SELECT (jsonb_populate_record(e, jsonb_build_object('id', gen_random_uuid()))).*
       FROM audit_event e, generate_series(1, 60) WHERE e.consumer_id = $1 AND e.type = 'consumer.registered'`,
      [customerId],
    );
    await browser.get(`/consumers/${customerId}`);
    expect(browser.text.match(/consumer\.registered/g)).toHaveLength(50);
    expect([browser.text.includes('The newest 50 are shown'), browser.html.includes('/audit?')]).toEqual([true, false]);
    const admin = await site.signedIn('ADMIN');
    await admin.get(`/consumers/${customerId}`);
    expect(admin.links).toContain(`/audit?consumer=${customerId}`);
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

  it('is told at the proven address how to choose a new password, and the trail keeps why', async () => {
    const { customerId, email } = await newVerified(site.app, client);
    await search(customerId);
    await browser.submit(`/consumers/${customerId}/send-recovery`, { reason: 'ticket 4712' });
    expect([browser.status, browser.path]).toEqual([200, `/consumers/${customerId}`]);
    expect(await delivered(site.app, email, 'recovery-advised')).toEqual([null]);
    const { customerId: unproven } = await register(client);
    await browser.get(`/consumers/${unproven}`);
    expect(browser.text).toContain('no proven address to write to');
    const acts = (await looksAt(customerId)).filter(({ type }) => type === 'recovery.advised');
    expect(acts.map(({ details }) => details)).toEqual([{ reason: 'ticket 4712', addresses: 1 }]);
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
    const late = await site.signedIn('ADMIN');
    await late.get(path);
    await again.get(path);
    await again.submit(`${path}/erase`, { confirmation: customerId });
    expect([again.status, again.text]).toEqual([200, expect.stringContaining('has been erased')]);
    await again.get(path);
    expect(again.text).toContain(`Consumer ${customerId} has been erased: event`);
    await late.submit(`${path}/export`);
    expect([late.status, late.text]).toEqual([200, expect.stringContaining('has been erased: event')]);
    await again.get(`/consumers/${randomUUID()}`);
    expect(again.status).toBe(404);
  });
});
