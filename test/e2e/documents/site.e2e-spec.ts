import { DocumentationSite, type SitePage } from '../../support/documents/site';
import { ApiClient } from '../../support/api/api-client';
import { TestService } from '../../support/service/test-service';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

interface SearchEntry {
  address: string;
  page: string;
  title: string;
  text: string;
}

describe('the documentation site', () => {
  let stranger: ApiClient;
  let site: DocumentationSite;
  let pages: SitePage[];

  beforeAll(async () => {
    const { baseUrl } = await TestService.shared();
    stranger = new ApiClient(baseUrl, {});
    site = new DocumentationSite(baseUrl);
    pages = await site.pages();
  });

  it('has a page for everything that its navigation names, each with one title', () => {
    const guides = ['register', 'verified-registration', 'login', 'forgot-password', 'stay-signed-in'];
    const others = ['start', 'getting-started', 'sandbox', 'errors', 'limits', 'going-live', 'versions', 'changelog'];
    const expected = [...others, ...[...guides, 'identify', 'profile', 'events'].map((name) => `guides/${name}`)];
    const addresses = pages.map(({ address }) => address);
    expect(addresses).toEqual(expect.arrayContaining(['/docs', ...expected.map((slug) => `/docs/${slug}`)]));
    for (const { address, status, contentType, html } of pages) {
      expect([address, status, contentType]).toEqual([address, 200, 'text/html; charset=utf-8']);
      // Swagger UI writes the title of the API reference.
      const titles = html.match(/<h1[ >]/g)?.length ?? 0;
      expect([address, titles]).toEqual([address, address === '/docs' ? 0 : 1]);
      expect(html).toMatch(/<html lang="en">.*<title>[^<]+ · Consumer service API<\/title>/s);
    }
  });

  it('leaves out no level of headings, and marks the page that is open', () => {
    for (const { address, html } of pages) {
      const levels = [...html.matchAll(/<h([1-6])[ >]/g)].map(([, level]) => Number(level));
      const skipped = levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1);
      expect([address, skipped]).toEqual([address, []]);
      expect(html).toContain(`<a href="${address}" aria-current="page">`);
    }
  });

  it('links to no address and no heading that is not there', async () => {
    const broken = await site.brokenLinks(await site.allPages());
    expect(broken).toEqual([]);
    const changelog = pages.find(({ address }) => address === '/docs/changelog');
    // In the file it is a link to another file.
    expect(changelog?.html).toContain('href="/docs/sandbox"');
  });

  it('loads its styles and scripts from files alone', async () => {
    for (const { address, html, policy } of await site.allPages()) {
      expect([address, html.match(/<style|<script>| style=| on\w+=|<img/g)]).toEqual([address, null]);
      if (address !== '/docs') expect([address, policy]).toEqual([address, POLICY]);
    }
    const files = new Set(
      pages
        .flatMap(({ html }) => [...html.matchAll(/(?:src|href)="(\/docs\/assets\/[^"]+)"/g)])
        .map(([, file = '']) => file),
    );
    expect(files.size).toBeGreaterThan(3);
    for (const file of [...files, '/docs/assets/search.js', '/docs/assets/minisearch.js']) {
      const { status, headers } = await stranger.get(file);
      expect([file, status, headers.get('cache-control')]).toEqual([file, 200, 'public, max-age=300']);
      expect(headers.get('etag')).toMatch(/^"[\w-]{27}"$/);
    }
  });

  it('answers HEAD as GET, without a body, and 304 to who has the page', async () => {
    for (const path of ['/docs', '/docs/start', '/docs/errors/CODE_EXPIRED', '/docs/assets/docs.css']) {
      const { headers } = await stranger.get(path);
      const head = await stranger.send<string>('HEAD', path);
      expect([path, head.status, head.body]).toEqual([path, 200, '']);
      for (const name of ['content-type', 'content-length', 'etag', 'cache-control', 'content-security-policy']) {
        expect([path, name, head.headers.get(name)]).toEqual([path, name, headers.get(name)]);
      }
      const again = await stranger.get(path, { 'If-None-Match': headers.get('etag') ?? '' });
      expect([path, again.status, again.headers.get('cache-control')]).toEqual([path, 304, 'public, max-age=300']);
    }
  });

  it('answers 404 as a problem for an error or a file that it does not have, and 401 elsewhere, as any other address', async () => {
    const files = ['assets/nothing.css', 'assets/..%2fdocs.js', 'assets/constructor'];
    const statuses = {
      404: ['errors/nothing', ...files],
      401: ['nothing', 'start/', 'Start', 'guides/nothing', '__proto__'],
    };
    for (const [expected, paths] of Object.entries(statuses)) {
      for (const path of paths) {
        const { status, headers } = await stranger.get(`/docs/${path}`);
        expect([path, status, headers.get('content-type')]).toEqual([
          path,
          Number(expected),
          'application/problem+json',
        ]);
      }
    }
  });

  it('leads a browser from an address without a page to the pages, and nobody by another method', async () => {
    const browser = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
    for (const path of ['errrors', 'guides/nothing', 'start/', 'nothing.html', 'errors/nothing', '..%2fapi/v1/me']) {
      const { status, headers, body } = await stranger.get<string>(`/docs/${path}`, browser);
      expect([path, status, headers.get('content-type')]).toEqual([path, 404, 'text/html; charset=utf-8']);
      expect(body).toMatch(/<h1 [^>]*>There is no such page<\/h1>.*href="\/docs\/start"/s);
      for (const [name, value] of [
        ['content-security-policy', POLICY],
        ['cache-control', 'no-store'],
        ['vary', 'Accept'],
      ] as const) {
        expect([path, name, headers.get(name)]).toEqual([path, name, value]);
      }
      expect((await stranger.send('POST', `/docs/${path}`, {}, browser)).status).toBe(401);
    }
    expect((await stranger.get('/nothing', browser)).status).toBe(401);
  });

  it('can be searched by an index whose entries lead to their headings', async () => {
    const { headers, body: entries } = await stranger.get<SearchEntry[]>('/docs/assets/search.json');
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(entries).toContainEqual({
      ...{ id: expect.any(Number) as number, page: 'Limits and retries', title: 'Idempotency' },
      address: '/docs/limits#idempotency',
      text: expect.stringContaining('Idempotency-Replayed: true') as string,
    });
    expect(entries).toContainEqual(
      expect.objectContaining({ title: 'CODE_EXPIRED', address: '/docs/errors/CODE_EXPIRED', page: 'Errors' }),
    );
    const byAddress = new Map((await site.allPages()).map((page) => [page.address, page.html]));
    for (const { address, title } of entries) {
      const [path = '', anchor] = address.split('#');
      const isThere = byAddress.get(path)?.includes(anchor === undefined ? '<h1 ' : ` id="${anchor}"`);
      expect({ address, title, isThere }).toEqual({ address, title, isThere: true });
    }
  });
});
