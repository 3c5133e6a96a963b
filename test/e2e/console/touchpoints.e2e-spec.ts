import { randomUUID } from 'node:crypto';
import { ApiClient } from '../../support/api/api-client';
import { TestConsole } from '../../support/console/console';
import type { FormBrowser } from '../../support/form-browser';
import { AssertionIssuer } from '../../support/identity-providers/assertion-issuer';
import { until } from '../../support/until';

const HOSTILE = `<script>alert(1)</script>"'&<b>`;

describe('touchpoints in the console', () => {
  let site: TestConsole;
  let browser: FormBrowser & { email: string };
  // It sorts first, so that it is on the first page.
  const code = `a-shop-${randomUUID()}`;

  beforeAll(async () => {
    site = await TestConsole.shared();
    browser = await site.signedIn('OPERATOR');
  });

  const keyShown = () => /<code data-copy[^>]*>(tpk_[\w-]+)<\/code>/.exec(browser.html)?.[1] ?? '';
  const statusWith = async (key: string) => {
    const client = new ApiClient(site.app.baseUrl, { 'X-Touchpoint-Code': code, 'X-Touchpoint-Key': key });
    return (await client.get('/api/v1/reference/countries')).status;
  };
  let key: string;

  it('are created with a key that is shown once and works', async () => {
    await browser.get('/touchpoints');
    await browser.submit('/touchpoints', { code: 'No!', name: 'Typed', rateLimit: 'fast', sessionMax: '5m' });
    expect(browser.status).toBe(400);
    for (const [field, fault] of [
      ['code', 'A code has 3 to 64'],
      ['rateLimit', 'Rate limit must be'],
      ['sessionMax', 'Session maximum must be'],
    ]) {
      expect(browser.html).toMatch(
        new RegExp(`id="${field}"[^>]* aria-invalid="true" aria-describedby="${field}-fault `),
      );
      expect(browser.html).toMatch(new RegExp(`id="${field}-fault"[^>]*>${fault}`));
      expect(browser.html).toMatch(new RegExp(`<a href="#${field}">${fault}`));
    }
    expect(browser.html.match(/aria-invalid/g)).toHaveLength(3);
    // What was typed is still there.
    expect(browser.html).toMatch(/name="name" value="Typed"/);
    await browser.submit('/touchpoints', { code, name: HOSTILE, rateLimit: 'unlimited', sessionMax: '8h' });
    expect(browser.status).toBe(200);
    key = keyShown();
    expect(await statusWith(key)).toBe(200);
    const api = site.app.baseUrl;
    expect(browser.text).toContain(`API=${api} TOUCHPOINT_CODE=${code} TOUCHPOINT_KEY=${key}`);
    expect(browser.text).toContain(`curl -i &quot;${api}/api/v1/reference/countries&quot;`);
    await browser.get(`/touchpoints/${code}`);
    expect(browser.html).not.toContain(key);
    expect(browser.html).toContain(`…${key.slice(-4)}`);

    await browser.get('/touchpoints');
    await browser.submit('/touchpoints', { code });
    expect([browser.status, browser.text]).toEqual([
      400,
      expect.stringContaining(`There is a touchpoint ${code} already`),
    ]);
  });

  it('show hostile names as text', async () => {
    for (const path of ['/touchpoints', `/touchpoints/${code}`]) {
      await browser.get(path);
      expect(browser.html).not.toContain('<script>alert');
      expect(browser.html).toContain('&lt;script>alert(1)&lt;/script>');
    }
  });

  it('have settings that can be changed, and refused ones stay as they were', async () => {
    await browser.get(`/touchpoints/${code}`);
    await browser.submit(`/touchpoints/${code}`, {
      name: 'The shop',
      rateLimit: '5/60',
      sessionMax: '30d',
      sessionIdle: '7d',
    });
    expect([browser.status, browser.path]).toEqual([200, `/touchpoints/${code}`]);
    await browser.submit(`/touchpoints/${code}`, { name: 'Another', sessionMax: '1h' });
    expect([browser.status, browser.text]).toEqual([
      400,
      expect.stringContaining('Session idle time must be at most Session maximum'),
    ]);
    expect(await site.app.administer('touchpoint', 'show', code)).toMatchObject({
      ...{ name: 'The shop', rateLimit: '5/60', sessionMax: '30d', sessionIdle: '7d' },
    });
    await browser.get(`/touchpoints/${code}`);
    await browser.submit(`/touchpoints/${code}`, { rateLimit: 'unlimited' });
  });

  it('get a new key, and the old one works until the overlap ends', async () => {
    await browser.get(`/touchpoints/${code}`);
    await browser.submit(`/touchpoints/${code}/rotate-key`, { overlap: 'soon' });
    expect([browser.status, browser.text]).toEqual([400, expect.stringContaining('Overlap must be a duration')]);
    await browser.submit(`/touchpoints/${code}/rotate-key`, { overlap: '1h' });
    const fresh = keyShown();
    expect([await statusWith(key), await statusWith(fresh)]).toEqual([200, 200]);
    await browser.get(`/touchpoints/${code}`);
    await browser.submit(`/touchpoints/${code}/rotate-key`, { overlap: '0' });
    const newest = keyShown();
    await until(async () => (await statusWith(fresh)) === 401);
    expect(await statusWith(newest)).toBe(200);
    key = newest;
  });

  it('are disabled and enabled', async () => {
    for (const [act, status] of [
      ['disable', 401],
      ['enable', 200],
    ] as const) {
      await browser.get(`/touchpoints/${code}`);
      await browser.submit(`/touchpoints/${code}/${act}`);
      await until(async () => (await statusWith(key)) === status);
    }
  });

  it('trust identity providers, and no longer', async () => {
    await browser.get(`/touchpoints/${code}`);
    const provider = { issuer: `https://idp.example/${code}`, audience: 'shop', jwksUri: 'http://idp.example/keys' };
    await browser.submit(`/touchpoints/${code}/providers`, { ...provider, trustEmail: 'yes' });
    expect([browser.status, browser.text]).toEqual([
      400,
      expect.stringContaining('JWKS URI must be an https:// address'),
    ]);
    expect(browser.html).toMatch(/name="trustEmail" value="yes" checked/);
    await browser.submit(`/touchpoints/${code}/providers`, { ...provider, jwksUri: 'https://idp.example/keys' });
    expect(browser.text).toContain(provider.issuer);
    await browser.submit(`/touchpoints/${code}/providers/remove`);
    expect(browser.text).not.toContain(provider.issuer);
  });

  it('show whether the keys of an identity provider can be fetched', async () => {
    const issuer = await AssertionIssuer.start();
    await browser.get(`/touchpoints/${code}`);
    const provider = { issuer: issuer.url, audience: 'shop', jwksUri: issuer.jwksUri };
    await browser.submit(`/touchpoints/${code}/providers`, provider);
    const check = async () => {
      await browser.get(`/touchpoints/${code}`);
      await browser.submit(`/touchpoints/${code}/providers/check`);
      return [browser.status, browser.text];
    };
    expect(await check()).toEqual([200, expect.stringContaining(`${issuer.url} has 1 key now`)]);
    issuer.behaviour = 'error';
    expect(await check()).toEqual([400, expect.stringContaining('could not be fetched: The answer was HTTP 500')]);
    // The form for another provider stays empty.
    expect(browser.html).not.toMatch(/name="issuer" value="[^"]/);
    issuer.behaviour = 'prose';
    expect(await check()).toEqual([400, expect.stringContaining('the answer is not JSON')]);
    issuer.behaviour = 'no set';
    expect(await check()).toEqual([400, expect.stringContaining('the answer is not a JWK Set')]);
    issuer.close();
    expect(await check()).toEqual([400, expect.stringContaining('ECONNREFUSED')]);
  });

  it('can be read but not changed by an auditor', async () => {
    const auditor = await site.signedIn('AUDITOR');
    await auditor.get(`/touchpoints/${code}`);
    expect([auditor.status, auditor.html.includes('action="/touchpoints')]).toEqual([200, false]);
    expect(auditor.text).toContain('SMS countries default');
    await site.app.administer('touchpoint', 'update', code, '--sms-countries', 'NO,SE');
    await auditor.get(`/touchpoints/${code}`);
    expect(auditor.text).toContain('SMS countries NO,SE');
  });

  it('say what will happen beside each button that hurts', async () => {
    await browser.get(`/touchpoints/${code}`);
    const provider = { issuer: `https://idp.example/${code}`, audience: 'shop', jwksUri: 'https://idp.example/keys' };
    await browser.submit(`/touchpoints/${code}/providers`, provider);
    const forms = browser.html.match(/<form [^]*?<\/form>/g) ?? [];
    const told = forms.flatMap((form) => /class="consequence" [^>]*>([^<]*)/.exec(form)?.[1] ?? []);
    expect(told).toEqual(
      expect.arrayContaining([
        expect.stringContaining('With an overlap of 0 the present key stops now too'),
        expect.stringContaining('Its assertions are refused here at once'),
        expect.stringContaining('Every request of the application is refused'),
      ]),
    );
    expect(forms.filter((form) => form.includes('class="danger"') && !form.includes('class="consequence"'))).toEqual(
      [],
    );
  });

  it('are listed a hundred at a time, in the order of their codes', async () => {
    await site.app.query(
      `INSERT INTO touchpoint SELECT (jsonb_populate_record(t,
         jsonb_build_object('id', gen_random_uuid(), 'code', $1 || '-' || lpad(n::text, 3, '0')))).*
       FROM touchpoint t, generate_series(1, 105) n WHERE t.code = $1`,
      [code],
    );
    const listed = () => browser.links.filter((link) => /^\/touchpoints\/[^/]+$/.test(link));
    await browser.get('/touchpoints');
    const pages = [listed()];
    const next = () => browser.links.find((link) => link.startsWith('/touchpoints?after='));
    for (let link = next(); link !== undefined; link = next()) {
      await browser.get(link);
      pages.push(listed());
    }
    const stored = await site.app.query<{ code: string }>('SELECT code FROM touchpoint ORDER BY code');
    expect(pages.flat()).toEqual(stored.map((touchpoint) => `/touchpoints/${touchpoint.code}`));
    expect(pages.slice(0, -1).map(({ length }) => length)).toEqual(Array(pages.length - 1).fill(100));
    expect(pages.length).toBeGreaterThan(1);
    await site.app.query(`DELETE FROM touchpoint WHERE code LIKE $1 || '-%'`, [code]);
  });

  it('keep in the audit trail which operator has changed them', async () => {
    const events = await site.app.administer<{ type: string; actor: string; operator: string }[]>(
      ...['audit', 'list', '--touchpoint', code],
    );
    const acts = events.filter(({ actor }) => actor === 'operator');
    expect(new Set(acts.map(({ operator }) => operator))).toEqual(new Set([browser.email]));
    expect(acts.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['touchpoint.created', 'touchpoint.updated', 'touchpoint.key-rotated']),
    );
  });
});
