import { randomUUID } from 'node:crypto';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { PASSWORD } from '../support/api/consumers';
import { NEW_PASSWORD } from '../support/api/recovery';
import { launchChromium } from '../support/documents/browser';
import { ExampleShop } from '../support/documents/example-shop';
import { Shopper } from '../support/documents/shopper';
import { TestService } from '../support/service/test-service';

/** What a sandbox sends to addresses under `.test`. */
const CODE = '424242';
const RECOVERY_CODE = '42424242';

describe('the example shop in a browser', () => {
  let app: TestService;
  let shop: ExampleShop;
  let browser: Browser;
  let shopper: Shopper;

  beforeAll(async () => {
    [app, browser] = await Promise.all([TestService.start({ env: { SANDBOX: 'true' } }), launchChromium()]);
    shop = await ExampleShop.start(await app.client({ channelProof: 'EMAIL', sessionMax: '30d' }));
  });
  afterAll(async () => {
    await Promise.all([app.close(), browser.close(), shop.stop()]);
  });
  afterEach(() => shopper.leave());

  const enter = async (options?: BrowserContextOptions) => {
    shopper = await Shopper.enter(browser, shop.baseUrl, options);
  };
  const newEmail = () => `ada.${randomUUID()}@shop.test`;
  const valueOf = (label: string) => shopper.page.getByLabel(label).inputValue();

  it.each([true, false])(
    'leads from a registration by code to a profile, a logout, a login and a recovered password (script: %s)',
    async (javaScriptEnabled) => {
      await enter({ javaScriptEnabled });
      await shopper.press('Add Assam Morning to the cart');
      await shopper.see('Assam Morning is in your cart.');
      const visitor = await shopper.cookie();
      const email = newEmail();

      await shopper.follow('Register');
      await shopper.fill('First name', '<b>Ada</b> & "Co"');
      await shopper.fill('Last name', 'Lovelace');
      await shopper.fill('E-mail', email);
      await shopper.fill('Password', 'short');
      await shopper.press('Register');
      await shopper.see('Please use at least 8 characters.');
      const password = shopper.page.getByLabel('Password');
      expect(await password.getAttribute('aria-describedby')).toBe('password-problem password-hint');
      expect([await valueOf('First name'), await valueOf('Password')]).toEqual(['<b>Ada</b> & "Co"', '']);
      await shopper.fill('Password', PASSWORD);
      await shopper.press('Register');
      await shopper.see('a***@s***.test');
      await shopper.confirm('000000');
      await shopper.see('This is not the code that we sent.');
      await shopper.confirm(`${CODE.slice(0, 3)} ${CODE.slice(3)}`);
      await shopper.see('Your account is ready.');

      // Whoever knew the cookie of the visitor is not signed in with it; the cart came along.
      const consumer = await shopper.cookie();
      expect(consumer).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/' });
      expect(consumer?.value).not.toBe(visitor?.value);
      const asVisitor = await fetch(shop.baseUrl, { headers: { cookie: `shop=${visitor?.value}` } });
      expect(await asVisitor.text()).not.toContain('Sign out');
      await shopper.follow('Cart (1)');
      await shopper.page.getByRole('row', { name: /Assam Morning 1 € 8.90/ }).waitFor();

      await shopper.follow('Profile');
      await shopper.see('confirmed');
      await shopper.fill('First name', 'Augusta <i>');
      await shopper.fill('Birthday (optional)', '1815-12-10');
      await shopper.press('Save');
      await shopper.see('Your profile has been saved.');
      expect(await valueOf('First name')).toBe('Augusta <i>');
      await shopper.fill('Birthday (optional)', '2999-12-31');
      await shopper.press('Save');
      await shopper.see('This cannot be used here.');
      await shopper.press('Sign out');
      await shopper.see('You have been signed out.');
      await shopper.visit('/profile');
      await shopper.seePage('Sign in');

      for (const someone of [email, newEmail()]) {
        await shopper.signIn(someone, 'a wrong password');
        await shopper.see('The address or the password is not right.');
      }
      await shopper.signIn(email, PASSWORD);
      await shopper.see('Welcome back!');
      await shopper.press('Sign out');

      await shopper.forget(email);
      await shopper.fill('Code', RECOVERY_CODE);
      await shopper.fill('New password', 'password');
      await shopper.press('Save the password');
      await shopper.see('Many people use this password');
      await shopper.fill('Code', RECOVERY_CODE);
      await shopper.fill('New password', NEW_PASSWORD);
      await shopper.press('Save the password');
      await shopper.see('Your password has been changed.');
      await shopper.signIn(email, PASSWORD);
      await shopper.see('The address or the password is not right.');
      await shopper.signIn(email, NEW_PASSWORD);
      await shopper.see('Welcome back!');
      expect(shopper.troubles).toEqual([]);
    },
  );

  it('tells a shopper who is not known the same as one who is', async () => {
    await enter();
    const email = newEmail();
    await shopper.register(email);
    await shopper.confirm(CODE);
    await shopper.press('Sign out');
    const told: string[] = [];
    for (const someone of [email, newEmail()]) {
      await shopper.forget(someone);
      told.push(await shopper.page.locator('main').innerText());
      await shopper.register(someone);
      told.push(await shopper.page.locator('main').innerText());
    }
    expect(told.slice(2)).toEqual(told.slice(0, 2));
  });

  it('does not let one window overwrite what another has saved', async () => {
    await enter();
    await shopper.register(newEmail());
    await shopper.confirm(CODE);
    await shopper.visit('/profile');
    const other = await shopper.page.context().newPage();
    await other.goto(`${shop.baseUrl}/profile`);
    await other.getByLabel('Last name').fill('Byron');
    await other.getByRole('button', { name: 'Save', exact: true }).click();
    await other.getByText('Your profile has been saved.').waitFor();

    await shopper.fill('First name', 'Augusta');
    await shopper.fill('Birthday (optional)', '2999-12-31');
    await shopper.press('Save');
    // What is not valid is told first, and does not make the shopper's state any newer.
    await shopper.see('This cannot be used here');
    await shopper.fill('Birthday (optional)', '');
    await shopper.press('Save');
    await shopper.see('has been changed elsewhere');
    expect([await valueOf('First name'), await valueOf('Last name')]).toEqual(['Ada', 'Byron']);
    await shopper.fill('First name', 'Augusta');
    await shopper.press('Save');
    await shopper.see('Your profile has been saved.');
    expect([await valueOf('First name'), await valueOf('Last name')]).toEqual(['Augusta', 'Byron']);
  });

  it('refuses forms of other sites, and sends neither its key nor a token to a browser', async () => {
    await enter();
    await shopper.register(newEmail());
    await shopper.confirm(CODE);
    await shopper.see('Your account is ready.');
    const cookie = `shop=${(await shopper.cookie())?.value}`;
    const statusOf = async (headers: Record<string, string>) => {
      const form = { method: 'POST', headers: { cookie, ...headers }, redirect: 'manual' } as const;
      return (await fetch(`${shop.baseUrl}/cart`, form)).status;
    };
    const Origin = shop.baseUrl;
    const ownHeaders: Record<string, string>[] = [{ Origin }, { 'Sec-Fetch-Site': 'same-origin' }];
    for (const own of ownHeaders) {
      expect([own, await statusOf(own)]).toEqual([own, 303]);
    }
    for (const site of ['cross-site', 'same-site', 'none']) {
      expect([site, await statusOf({ Origin, 'Sec-Fetch-Site': site })]).toEqual([site, 403]);
    }
    for (const origin of ['null', 'https://elsewhere.test', 'nonsense']) {
      expect([origin, await statusOf({ Origin: origin })]).toEqual([origin, 403]);
    }
    expect(await statusOf({})).toBe(403);
    for (const path of ['/', '/profile', '/cart', '/nothing', '/style.css']) {
      const answer = await fetch(shop.baseUrl + path, { headers: { cookie } });
      const everything = JSON.stringify([...answer.headers]) + (await answer.text());
      expect(everything).toContain("default-src 'none'");
      expect(everything).not.toMatch(/tpk_|eyJ/);
    }
  });

  it.each([
    ['light', 1280],
    ['light', 390],
    ['dark', 1280],
    ['dark', 390],
  ] as const)('has no barrier, and fits (%s, %i px)', async (colorScheme, width) => {
    await enter({ colorScheme, viewport: { width, height: 900 } });
    const look = async (name: string) => {
      expect([name, await shopper.look(`${name}-${colorScheme}-${width}`)]).toEqual([
        name,
        { violations: [], overflow: 0 },
      ]);
    };
    await shopper.press('Add Iron Kettle to the cart');
    await shopper.press('Add Sencha Green to the cart');
    await look('shop');
    for (const path of ['login', 'forgot', 'register', 'nothing']) {
      await shopper.visit(`/${path}`);
      await look(path);
    }
    const email = newEmail();
    await shopper.register(email);
    await shopper.confirm('000000');
    await shopper.see('This is not the code that we sent.');
    await look('code-refused');
    await shopper.confirm(CODE);
    await shopper.see('Your account is ready.');
    for (const path of ['profile', 'cart']) {
      await shopper.visit(`/${path}`);
      await look(path);
    }
    const { height } = (await shopper.page.getByRole('row').first().boundingBox()) ?? {};
    // One line.
    expect(height).toBeLessThan(60);
    await shopper.press('Sign out');
    await shopper.signIn(email, 'wrong');
    await shopper.see('The address or the password is not right.');
    await look('login-refused');
    await shopper.forget(email);
    await shopper.see('At least 8 characters.');
    await look('reset');
    expect(shopper.troubles).toEqual([]);
  });

  it('keeps a shopper signed in for longer than a token lives, and says so when that is over', async () => {
    // Of its own, since its clock is moved.
    const timed = await app.client({ channelProof: 'EMAIL', sessionMax: '30d' });
    const timedShop = await ExampleShop.start(timed);
    try {
      shopper = await Shopper.enter(browser, timedShop.baseUrl);
      await shopper.register(newEmail());
      await shopper.confirm(CODE);
      await shopper.see('Your account is ready.');
      for (let time = 0; time < 5; time += 1) {
        expect((await timed.post('/sandbox/clock', { advance: '20m' })).status).toBe(200);
        await shopper.visit('/profile');
        await shopper.seePage('Your profile');
      }
      await timed.post('/sandbox/clock', { advance: '31m' });
      await shopper.visit('/profile');
      await shopper.seePage('Sign in');
      await shopper.see('You have been signed out. Please sign in again.');
    } finally {
      await timedShop.stop();
    }
  });
});
