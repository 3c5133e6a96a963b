import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { type RoleName, TestConsole } from '../../support/console/console';
import type { FormBrowser } from '../../support/form-browser';

const ROLES: RoleName[] = ['AUDITOR', 'SUPPORT', 'OPERATOR', 'ADMIN'];
const ID = randomUUID();

/** Every route, and who may use it. */
const ROUTES: [route: string, allowed: RoleName[]][] = [
  ...['GET /', 'GET /my-sessions', 'POST /my-sessions/end'].map((route): [string, RoleName[]] => [route, ROLES]),
  ...['GET /requests', 'POST /requests', 'GET /requests/:requestId'].map((route): [string, RoleName[]] => [
    route,
    ['AUDITOR', 'SUPPORT', 'ADMIN'],
  ]),
  ['GET /touchpoints', ['AUDITOR', 'OPERATOR', 'ADMIN']],
  ['GET /touchpoints/:code', ['AUDITOR', 'OPERATOR', 'ADMIN']],
  ['POST /touchpoints', ['OPERATOR', 'ADMIN']],
  ...['', '/rotate-key', '/disable', '/enable', '/providers', '/providers/check', '/providers/remove'].map(
    (path): [string, RoleName[]] => [`POST /touchpoints/:code${path}`, ['OPERATOR', 'ADMIN']],
  ),
  ['GET /consumers', ['SUPPORT', 'ADMIN']],
  ['POST /consumers', ['SUPPORT', 'ADMIN']],
  ['GET /consumers/:customerId', ['SUPPORT', 'ADMIN']],
  ...['reveal', 'end-session', 'end-sessions', 'disable', 'enable', 'send-recovery'].map(
    (act): [string, RoleName[]] => [`POST /consumers/:customerId/${act}`, ['SUPPORT', 'ADMIN']],
  ),
  ['POST /consumers/:customerId/export', ['ADMIN']],
  ['POST /consumers/:customerId/erase', ['ADMIN']],
  ['GET /audit', ['AUDITOR', 'ADMIN']],
  ['GET /audit.csv', ['AUDITOR', 'ADMIN']],
  ['GET /messages', ['OPERATOR', 'ADMIN']],
  ['POST /messages/retry', ['OPERATOR', 'ADMIN']],
  ['POST /messages/drop', ['OPERATOR', 'ADMIN']],
  ['GET /keys', ['AUDITOR', 'OPERATOR', 'ADMIN']],
  ['GET /subscribers', ['AUDITOR', 'OPERATOR', 'ADMIN']],
  ...['', '/rotate-key', '/disable', '/enable'].map((path): [string, RoleName[]] => [
    `POST /subscribers${path}`,
    ['OPERATOR', 'ADMIN'],
  ]),
  ['GET /operators', ['ADMIN']],
  ...['', '/role', '/disable', '/enable'].map((path): [string, RoleName[]] => [`POST /operators${path}`, ['ADMIN']]),
  // The last one, since it ends the session that the others need.
  ['POST /sign-out', ROLES],
];

/** The routes that the console has. */
const served = () =>
  [...readFileSync('src/console/routes.ts', 'utf8').matchAll(/^ {2}'((?:GET|POST) [^']*)':/gm)].map(
    ([, route]) => route,
  );

const addressOf = (route: string) => route.replace(':code', 'none').replace(/:(customer|request)Id/, ID);

const PAGES = [
  '/',
  '/touchpoints',
  '/consumers',
  '/requests',
  '/audit',
  '/messages',
  '/keys',
  '/subscribers',
  '/operators',
];

describe('a page of the console', () => {
  let site: TestConsole;

  beforeAll(async () => {
    site = await TestConsole.shared();
  });

  const send = (browser: FormBrowser, route: string) => {
    const [method = '', path = ''] = addressOf(route).split(' ');
    const body = method === 'POST' ? new URLSearchParams({ form: randomUUID() }) : undefined;
    return browser.send(method, path, body);
  };

  it('is tried here, whichever it is', () => {
    expect(served().length).toBeGreaterThan(40);
    expect(ROUTES.map(([route]) => route).sort()).toEqual(served().sort());
  });

  it.each(ROLES)('is for %s what the table says, and only what is allowed is in the navigation', async (role) => {
    const browser = await site.signedIn(role);
    const navigation = new Set(browser.links.filter((link) => PAGES.includes(link)));
    const allowed = (route: string) => ROUTES.find(([known]) => known === route)?.[1].includes(role) ?? false;
    expect([...navigation].sort()).toEqual(PAGES.filter((path) => allowed(`GET ${path}`)).sort());
    for (const [route] of ROUTES) {
      await send(browser, route);
      expect([route, browser.status === 403]).toEqual([route, !allowed(route)]);
    }
  });

  it('is 404 where there is none, also for what has gone', async () => {
    const browser = await site.signedIn('ADMIN');
    for (const path of ['/nothing', '/touchpoints/none', `/consumers/${ID}`, '/consumers/nobody', '/assets/none.css']) {
      await browser.get(path);
      expect([path, browser.status]).toEqual([path, 404]);
    }
  });

  it('takes a form only from one of its own pages, once', async () => {
    const browser = await site.signedIn('ADMIN');
    const cookie = browser.cookieHeader;
    const body = () => new URLSearchParams({ form: randomUUID(), code: `shop-${randomUUID()}` });
    const post = async (headers: Record<string, string>, form = body()) => {
      const sent = { cookie, ...headers };
      const answer = await fetch(`${site.baseUrl}/touchpoints`, {
        method: 'POST',
        redirect: 'manual',
        headers: sent,
        body: form,
      });
      return answer.status;
    };
    for (const from of ['cross-site', 'same-site', 'none', '', 'same-origin, cross-site']) {
      expect([from, await post({ 'Sec-Fetch-Site': from })]).toEqual([from, 403]);
    }
    expect(await post({})).toBe(403);
    for (const origin of ['null', 'https://console.example.com', `${site.baseUrl}.example.com`]) {
      expect([origin, await post({ Origin: origin })]).toEqual([origin, 403]);
    }
    // What Fetch Metadata says is not overruled by an origin.
    expect(await post({ 'Sec-Fetch-Site': 'cross-site', Origin: site.baseUrl })).toBe(403);
    expect(await post({ Origin: site.baseUrl })).toBe(200);

    const once = body();
    const own = { 'Sec-Fetch-Site': 'same-origin' };
    const statuses = await Promise.all([1, 2, 3, 4].map(() => post(own, new URLSearchParams(once))));
    expect(statuses.sort()).toEqual([200, 409, 409, 409]);
    expect(await post(own, new URLSearchParams({ code: `shop-${randomUUID()}` }))).toBe(400);
  });

  it('takes no form at all that another site has sent, and says that this is why', async () => {
    const { cookieHeader: cookie } = await site.signedIn('ADMIN');
    const forged = async (route: string, headers: Record<string, string>) => {
      const body = new URLSearchParams({ form: randomUUID() });
      const path = addressOf(route).slice('POST '.length);
      const answer = await fetch(site.baseUrl + path, { method: 'POST', headers: { cookie, ...headers }, body });
      return [route, answer.status, (await answer.text()).includes('did not come from a page of the console')];
    };
    for (const [route] of ROUTES.filter(([name]) => name.startsWith('POST '))) {
      expect(await forged(route, {})).toEqual([route, 403, true]);
      expect(await forged(route, { 'Sec-Fetch-Site': 'cross-site' })).toEqual([route, 403, true]);
      expect(await forged(route, { Origin: 'https://another.example' })).toEqual([route, 403, true]);
    }
  });

  it('takes no NUL, which the database cannot store', async () => {
    const browser = await site.signedIn('ADMIN');
    for (const path of ['/requests/%00', '/touchpoints/%00', '/audit?touchpoint=%00', '/audit.csv?request=a%00']) {
      await browser.get(path);
      expect([path, browser.status]).toEqual([path, 400]);
    }
    for (const [path, field] of [
      ['/touchpoints', 'name'],
      [`/consumers/${ID}/reveal`, 'reason'],
      ['/consumers', 'search'],
      ['/operators', 'email'],
    ] as const) {
      const form = { form: randomUUID(), code: 'shop', [field]: 'a\0b' };
      await browser.send('POST', path, new URLSearchParams(form));
      expect([path, browser.status]).toEqual([path, 400]);
    }
    await browser.get('/requests/a%20b');
    expect(browser.status).toBe(404);
  });

  it('answers only to its own name, so that another site’s name cannot stand for it', async () => {
    const statusAs = (host: string): Promise<number> =>
      new Promise((resolve, reject) => {
        request(`${site.baseUrl}/sign-in`, { headers: { host } }, (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        })
          .on('error', reject)
          .end();
      });
    const { host, port } = new URL(site.baseUrl);
    expect([await statusAs(host), await statusAs(`localhost:${port}`)]).toEqual([200, 200]);
    for (const name of ['evil.example.com', `evil.example.com:${port}`, '127.0.0.1']) {
      expect([name, await statusAs(name)]).toEqual([name, 421]);
    }
  });

  it('lets browsers load nothing but its own style, script and images, and keeps no copy', async () => {
    const { headers } = await fetch(`${site.baseUrl}/sign-in`);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-security-policy':
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    });
    for (const [file, type] of [
      ['console.css', 'text/css'],
      ['console.js', 'text/javascript'],
      ['icon.svg', 'image/svg+xml'],
    ]) {
      const asset = await fetch(`${site.baseUrl}/assets/${file}`);
      expect([asset.status, asset.headers.get('content-type')]).toEqual([200, expect.stringContaining(type ?? '')]);
    }
  });

  it('is no part of the API', async () => {
    expect((await fetch(`${site.app.baseUrl}/sign-in`)).status).toBe(401);
    expect(site.app.log).toContain(`The console is ready at ${site.baseUrl}`);
  });
});
