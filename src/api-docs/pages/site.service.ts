import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { PreparedAnswer } from '../../platform/http/prepared-answer';
import { PAGE_POLICY } from './content-policy';

const CACHED = { 'Cache-Control': 'public, max-age=300' };
const ASSETS = join(__dirname, '../assets');
const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

/** What the pages load. */
const FILES = new Map([
  ...['docs.js', 'search.js', 'reference.js'].map(
    (name) => [name, { contentType: SCRIPT, path: join(ASSETS, name) }] as const,
  ),
  ...['docs.css', 'reference.css'].map((name) => [name, { contentType: STYLE, path: join(ASSETS, name) }] as const),
  ['icon.svg', { contentType: 'image/svg+xml', path: join(ASSETS, 'icon.svg') }],
  ['minisearch.js', { contentType: SCRIPT, path: join(dirname(require.resolve('minisearch')), '../es/index.js') }],
]);

/** The documentation's pages and files, each made at its first request and kept. */
@Injectable()
export class SiteService {
  private readonly answers = new Map<string, PreparedAnswer>();
  private notFound: string | undefined;

  /** A page by its path below `/docs/`, if there is one. */
  page(slug: string): Promise<PreparedAnswer | undefined> {
    return this.kept(slug, async () => {
      // Not before somebody reads: it would cost time at the start.
      const html = await (await import('./rendered-site.js')).htmlOf(slug);
      return html === undefined ? undefined : htmlAnswer(html, PAGE_POLICY);
    });
  }

  /** For an address below `/docs/` that has nothing. */
  async notFoundPage(): Promise<string> {
    this.notFound ??= (await import('./rendered-site.js')).notFoundHtml();
    return this.notFound;
  }

  /** A file by its name in `/docs/assets/`, if there is one. */
  file(name: string): Promise<PreparedAnswer | undefined> {
    return this.kept(`assets/${name}`, async () => {
      if (name === 'search.json') {
        const entries = await (await import('./rendered-site.js')).searchIndex();
        return new PreparedAnswer(Buffer.from(JSON.stringify(entries)), 'application/json; charset=utf-8', CACHED);
      }
      const file = FILES.get(name);
      return file && new PreparedAnswer(await readFile(file.path), file.contentType, CACHED);
    });
  }

  private async kept(
    key: string,
    make: () => Promise<PreparedAnswer | undefined>,
  ): Promise<PreparedAnswer | undefined> {
    const answer = this.answers.get(key) ?? (await make());
    if (answer) this.answers.set(key, answer);
    return answer;
  }
}

export const htmlAnswer = (html: string, policy: string): PreparedAnswer =>
  new PreparedAnswer(Buffer.from(html), 'text/html; charset=utf-8', { ...CACHED, 'Content-Security-Policy': policy });
