import { randomUUID } from 'node:crypto';
import type { Browser } from 'playwright-core';
import { register } from '../support/api/consumers';
import { TestConsole } from '../support/console/console';
import { launchChromium } from '../support/documents/browser';

const PAYLOADS = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg/onload=alert(1)>',
  '"><script>alert(1)</script>',
  "'><script>alert(1)</script>",
  '</td></tr></table><script>alert(1)</script>',
  '</title><script>alert(1)</script>',
  '</textarea><script>alert(1)</script>',
  '" autofocus onfocus="alert(1)',
  "' autofocus onfocus='alert(1)",
  'javascript:alert(1)',
  '<a href="javascript:alert(1)">x</a>',
  '<iframe srcdoc="<script>alert(1)</script>">',
  '<style>*{display:none}</style>',
  '<meta http-equiv=refresh content=0;url=https://evil.example>',
  '<form action=https://evil.example><button>x',
  '<!--',
  '-->',
  ']]>',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '&amp;amp;',
  '&#x3c;script&#x3e;',
  '{{constructor.constructor("alert(1)")()}}',
  '${alert(1)}',
  '<%= 7 * 7 %>',
  '__proto__',
  'constructor',
  '=1+1',
  '\\u003cscript\\u003e',
  '%3Cscript%3Ealert(1)%3C/script%3E',
  '‮gnp.exe',
  'ﷺ'.repeat(5),
  'é́́́',
  '👩‍👩‍👧‍👦',
  '<ｓｃｒｉｐｔ>',
  "Robert'); DROP TABLE touchpoint;--",
  'a'.repeat(180),
  '<b>bold</b>',
  '`onmouseover=alert(1)',
  '<math><mi//xlink:href="data:x,<script>alert(1)</script>">',
];

/** Each payload alone, and among other text on both sides. */
const NAMES = Array.from({ length: 500 }, (_, index) => {
  const payload = PAYLOADS[index % PAYLOADS.length] ?? '';
  const round = Math.floor(index / PAYLOADS.length);
  return round === 0 ? payload : `${'x'.repeat(round)} ${payload} ${round}`.slice(0, 200);
});

describe('a hostile name in the console', () => {
  let site: TestConsole;
  let browser: Browser;

  beforeAll(async () => {
    [site, browser] = await Promise.all([TestConsole.start(), launchChromium()]);
  });
  afterAll(() => browser.close());

  it('is shown as the text that it is, 500 times', async () => {
    const admin = await site.signedIn('ADMIN');
    for (const [index, name] of NAMES.entries()) {
      const fields = { form: randomUUID(), code: `hostile-${String(index).padStart(3, '0')}`, name };
      await admin.send('POST', '/touchpoints', new URLSearchParams(fields));
      expect([name, admin.status]).toEqual([name, 200]);
    }
    const client = await site.app.client();
    const attributes = Object.fromEntries(PAYLOADS.slice(0, 20).map((payload, index) => [`a${index}`, payload]));
    const [firstName = '', lastName = ''] = PAYLOADS;
    const { customerId } = await register(client, { firstName, lastName, attributes });

    const context = await browser.newContext();
    const page = await context.newPage();
    const troubles: string[] = [];
    page.on('console', (message) => troubles.push(message.text()));
    page.on('pageerror', (error) => troubles.push(error.message));
    page.on('dialog', (dialog) => {
      troubles.push(dialog.message());
      void dialog.dismiss();
    });
    await page.goto((await site.invite('ADMIN')).link);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.goto(`${site.baseUrl}/touchpoints`);
    const shown = new Map<string, string>();
    const more = page.getByRole('link', { name: 'More touchpoints' });
    for (let hasMore = true; hasMore;) {
      const rows = await page
        .locator('tbody tr')
        .evaluateAll((found) =>
          found.map((row) => [...(row as HTMLTableRowElement).cells].slice(0, 2).map((cell) => cell.textContent)),
        );
      for (const [code = '', name = ''] of rows) shown.set(code, name);
      hasMore = (await more.count()) > 0;
      if (hasMore) await more.click();
    }
    for (const [index, name] of NAMES.entries()) {
      expect(shown.get(`hostile-${String(index).padStart(3, '0')}`)).toBe(name);
    }
    for (const index of PAYLOADS.keys()) {
      await page.goto(`${site.baseUrl}/touchpoints/hostile-${String(index).padStart(3, '0')}`);
      expect(await page.getByLabel('Name').inputValue()).toBe(NAMES[index]);
    }
    await page.goto(`${site.baseUrl}/consumers/${customerId}`);
    await page.getByLabel('Reason').first().fill('"><script>alert(1)</script>');
    await page.getByRole('button', { name: 'Reveal' }).click();
    await page.getByText(`${firstName} ${lastName}`).waitFor();
    await page.getByText(JSON.stringify(attributes)).waitFor();
    await page.goto(`${site.baseUrl}/audit`);
    await page.getByText('consumer.revealed').first().waitFor();
    expect(troubles).toEqual([]);
    await context.close();
  });
});
