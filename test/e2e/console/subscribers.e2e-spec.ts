import { randomUUID } from 'node:crypto';
import { TestConsole } from '../../support/console/console';

describe('subscribers in the console', () => {
  let site: TestConsole;

  beforeAll(async () => {
    site = await TestConsole.shared();
  });

  const read = async (code: string, key: string) => {
    const headers = { 'X-Subscriber-Code': code, 'X-Subscriber-Key': key };
    return (await fetch(`${site.app.baseUrl}/integration/v1/events`, { headers })).status;
  };

  it('are created with a key that reads events, rotated, disabled and enabled', async () => {
    const browser = await site.signedIn('OPERATOR');
    const code = `crm-${randomUUID()}`;
    const keyShown = () => /sub_[A-Za-z0-9_-]+/.exec(browser.text)?.[0] ?? '';
    await browser.get('/subscribers');
    await browser.submit('/subscribers', { code, types: 'consumer.erased,consumer.disabled' });
    const first = keyShown();
    expect([browser.status, await read(code, first)]).toEqual([200, 200]);
    await browser.get('/subscribers');
    expect(browser.text).toContain('consumer.erased, consumer.disabled');
    expect(browser.text).not.toContain(first);

    await browser.submit('/subscribers/rotate-key', { subscriber: code, overlap: '1h' });
    const second = keyShown();
    expect([await read(code, first), await read(code, second)]).toEqual([200, 200]);
    for (const [act, status] of [
      ['disable', 401],
      ['enable', 200],
    ] as const) {
      await browser.get('/subscribers');
      await browser.submit(`/subscribers/${act}`, { subscriber: code });
      expect([browser.path, await read(code, second)]).toEqual(['/subscribers', status]);
    }
    const audited = await site.app.administer<{ type: string; operator: string | null }[]>('audit', 'list');
    const acts = audited.filter(({ operator }) => operator === browser.email).map(({ type }) => type);
    expect(acts).toEqual(
      expect.arrayContaining(['subscriber.created', 'subscriber.key-rotated', 'subscriber.disabled']),
    );
  });

  it('read profiles only if somebody has made their key who may see consumers', async () => {
    const [admin, browser] = [await site.signedIn('ADMIN'), await site.signedIn('OPERATOR')];
    const code = `crm-${randomUUID()}`;
    await browser.get('/subscribers');
    expect(browser.html).not.toContain('readConsumers');
    await browser.submit('/subscribers', { code, readConsumers: 'yes' });
    expect([browser.status, browser.text]).toEqual([400, expect.stringContaining('Your role sees no consumers')]);
    await browser.submit('/subscribers', { code: `shop-${randomUUID()}` });
    expect(browser.status).toBe(200);
    await admin.get('/subscribers');
    await admin.submit('/subscribers', { code, readConsumers: 'yes' });
    expect([admin.status, admin.text]).toEqual([200, expect.stringContaining('sub_')]);
    await browser.get('/subscribers');
    expect(browser.text).toContain('Its key reads profiles: an administrator rotates it.');
    const form = new URLSearchParams({ form: randomUUID(), subscriber: code, overlap: '1h' });
    await browser.send('POST', '/subscribers/rotate-key', form);
    expect([browser.status, browser.text]).toEqual([400, expect.stringContaining('Your role sees no consumers')]);
    await admin.get('/subscribers');
    await admin.submit('/subscribers/rotate-key', { subscriber: code, overlap: '1h' });
    expect([admin.status, admin.text]).toEqual([200, expect.stringContaining('sub_')]);
  });

  it('are refused with the reason, and what was typed stays', async () => {
    const browser = await site.signedIn('ADMIN');
    const marked = () => [...browser.html.matchAll(/id="([^"]*)"[^>]* aria-invalid="true"/g)].map(([, id]) => id);
    await browser.get('/subscribers');
    await browser.submit('/subscribers', { code: '!', types: 'consumer.born' });
    expect(marked()).toEqual(['code', 'types']);
    expect([browser.status, browser.text]).toEqual([
      400,
      expect.stringContaining('Types: consumer.born is not one of'),
    ]);
    expect(browser.html).toContain('value="consumer.born"');
    await browser.submit('/subscribers', { code: '!', types: '' });
    expect([browser.status, browser.text]).toEqual([400, expect.stringContaining('A code has 3 to 64')]);
    await browser.submit('/subscribers', { code: 'crm', types: '', touchpoints: 'nowhere' });
    expect([browser.status, browser.text]).toEqual([400, expect.stringContaining('nowhere')]);
    expect(marked()).toEqual(['touchpoints']);
  });

  it('can be read but not changed by an auditor', async () => {
    const auditor = await site.signedIn('AUDITOR');
    await auditor.get('/subscribers');
    expect([auditor.status, auditor.html.includes('action="/subscribers')]).toEqual([200, false]);
  });
});
