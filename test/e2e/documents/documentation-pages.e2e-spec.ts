import { ApiClient } from '../../support/api/api-client';
import { ApiDocument } from '../../support/documents/api-document';
import { DocumentationSite } from '../../support/documents/site';
import { linesOf } from '../../support/service/log-lines';
import { TestService } from '../../support/service/test-service';

describe('the pages of the documentation', () => {
  let app: TestService;
  let stranger: ApiClient;
  let document: ApiDocument;

  beforeAll(async () => {
    app = await TestService.shared();
    stranger = new ApiClient(app.baseUrl, {});
    document = await ApiDocument.of(app);
  });

  it('can be read by anyone, with all that they load', async () => {
    const page = await stranger.get<string>('/docs');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toContain('text/html');
    const assets = [...page.body.matchAll(/(?:src|href)="(\.?\/?[^":]+)"/g)].map(([, path = '']) => path);
    expect(assets.length).toBeGreaterThan(3);
    for (const asset of assets) {
      const { pathname } = new URL(asset, `${app.baseUrl}/docs`);
      const { status, headers } = await stranger.get(pathname);
      const isWeak = headers.get('etag')?.startsWith('W/') ?? false;
      expect({ pathname, status, isWeak }).toEqual({ pathname, status: 200, isWeak: false });
    }
  });

  it('may load and call nothing but this service, nor be shown in a frame, whichever it is', async () => {
    const paths = ['/docs', '/docs/', '/docs/index.html', '/docs/oauth2-redirect.html', '/docs/getting-started'];
    for (const path of [...paths, '/docs/errors', '/docs/LICENSE']) {
      const policy = (await stranger.get(path)).headers.get('content-security-policy')?.split('; ') ?? [];
      const expected = ["default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"];
      expect({ path, policy }).toEqual({ path, policy: expect.arrayContaining(expected) as string[] });
      expect(policy.join('; ')).not.toMatch(/\*|https?:|unsafe-eval|script-src[^;]*unsafe/);
    }
  });

  it('refuse what their files cannot be asked for as a mistake of the client, and alarm nobody', async () => {
    const before = app.log.length;
    const css = '/docs/swagger-ui.css';
    const outcomeOf = async (path: string, headers: Record<string, string>) => {
      const response = await fetch(app.baseUrl + path, { headers });
      const text = await response.text();
      return [response.status, response.ok ? undefined : (JSON.parse(text) as { code: string }).code];
    };
    expect(await outcomeOf('/docs/LICENSE', {})).toEqual([404, 'NOT_FOUND']);
    expect(await outcomeOf(css, { 'If-Match': '"x"' })).toEqual([412, 'PRECONDITION_FAILED']);
    expect(await outcomeOf(css, { Range: 'bytes=99999999-' })).toEqual([200, undefined]);
    const logged = linesOf({ log: app.log.slice(before) });
    expect(logged.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('tell of every error code where the type of a problem points, and list them', async () => {
    const list = await stranger.get<string>('/docs/errors');
    expect(document.errorCodes.length).toBeGreaterThan(30);
    for (const code of document.errorCodes) {
      const page = await stranger.get<string>(`/docs/errors/${code}`);
      expect({ code, status: page.status }).toEqual({ code, status: 200 });
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(page.body).toMatch(new RegExp(`<h1 [^>]*><code[^>]*>${code}</code></h1>`));
      expect(page.body).toMatch(/What to do<\/a><\/h2>\n<p>[A-Z].*<\/p>/);
      expect(page.body).toContain(`&quot;type&quot;: &quot;/docs/errors/${code}&quot;`);
      expect(list.body).toContain(`href="/docs/errors/${code}"`);
    }
    expect((await stranger.get('/docs/errors/NO_SUCH_CODE')).body.code).toBe('NOT_FOUND');
  });

  it('warn of the errors after which a request may have been done, and of no other', async () => {
    for (const code of document.errorCodes) {
      const { body } = await stranger.get<string>(`/docs/errors/${code}`);
      const [, status] = /&quot;status&quot;: (\d{3})/.exec(body) ?? [];
      expect({ code, status, warns: body.includes('may have been done') }).toEqual({
        code,
        status: expect.any(String) as string,
        warns: status === '500' || status === '503',
      });
    }
  });

  it('are led to by the document of the API, at headings that there are', async () => {
    const site = new DocumentationSite(app.baseUrl);
    const links = [...JSON.stringify(document.content).matchAll(/\]\((\/[^)]+)\)/g)].map(([, link = '']) => link);
    expect(links).toContain('/docs/limits#retries');
    const html = links.map((link) => `<a href="${link}">`).join('');
    expect(await site.brokenLinks([{ address: '/docs', html }])).toEqual([]);
  });
});
