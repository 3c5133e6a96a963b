import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { type RoleName, TestConsole } from '../../support/console/console';
import type { FormBrowser } from '../../support/form-browser';
import { TestService } from '../../support/service/test-service';

const ROLES: RoleName[] = ['AUDITOR', 'SUPPORT', 'OPERATOR', 'ADMIN'];
const ID = randomUUID();

/** Every route, and who may use it. */
const ROUTES: [route: string, allowed: RoleName[]][] = [
  ...(['GET /', 'GET /my-sessions', 'POST /my-sessions/end', 'GET /requests', 'POST /requests'] as const).map(
    (route): [string, RoleName[]] => [route, ROLES],
  ),
  [`GET /requests/${ID}`, ROLES],
  ['GET /touchpoints', ['AUDITOR', 'OPERATOR', 'ADMIN']],
  ['GET /touchpoints/none', ['AUDITOR', 'OPERATOR', 'ADMIN']],
  ['POST /touchpoints', ['OPERATOR', 'ADMIN']],
  ...['', '/rotate-key', '/disable', '/enable', '/providers', '/providers/remove'].map((path): [string, RoleName[]] => [
    `POST /touchpoints/none${path}`,
    ['OPERATOR', 'ADMIN'],
  ]),
  ['GET /consumers', ['SUPPORT', 'ADMIN']],
  ['POST /consumers', ['SUPPORT', 'ADMIN']],
  [`GET /consumers/${ID}`, ['SUPPORT', 'ADMIN']],
  ...['reveal', 'end-session', 'end-sessions', 'disable', 'enable'].map((act): [string, RoleName[]] => [
    `POST /consumers/${ID}/${act}`,
    ['SUPPORT', 'ADMIN'],
  ]),
  [`POST /consumers/${ID}/export`, ['ADMIN']],
  [`POST /consumers/${ID}/erase`, ['ADMIN']],
  ['GET /audit', ['AUDITOR', 'ADMIN']],
  ['GET /messages', ['OPERATOR', 'ADMIN']],
  ['POST /messages/retry', ['OPERATOR', 'ADMIN']],
  ['POST /messages/drop', ['OPERATOR', 'ADMIN']],
  ['GET /keys', ['AUDITOR', 'OPERATOR', 'ADMIN']],
  ['GET /operators', ['ADMIN']],
  ...['', '/role', '/disable', '/enable'].map((path): [string, RoleName[]] => [`POST /operators${path}`, ['ADMIN']]),
];

const PAGES = ['/', '/touchpoints', '/consumers', '/requests', '/audit', '/messages', '/keys', '/operators'];

describe('a page of the console', () => {
  let site: TestConsole;

  beforeAll(async () => {
    site = await TestConsole.start();
  });

  const send = (browser: FormBrowser, route: string) => {
    const [method = '', path = ''] = route.split(' ');
    const body = method === 'POST' ? new URLSearchParams({ form: randomUUID() }) : undefined;
    return browser.send(method, path, body);
  };

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
    expect(await post(own, new URLSearchParams({ code: `shop-${randomUUID()}` }))).toBe(409);
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

  it('is no part of the API, and is not there where the console is off', async () => {
    expect((await fetch(`${site.app.baseUrl}/sign-in`)).status).toBe(401);
    expect(site.app.log).toContain(`The console is ready at ${site.baseUrl}`);
    expect((await TestService.shared()).log).not.toContain('The console is ready');
  });
});
