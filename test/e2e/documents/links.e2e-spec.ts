import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { filesIn, pagesIn, ROOT } from '../../support/documents/pages';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const OTHER_PAGES = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'clients/typescript/README.md',
  'examples/shop-express/README.md',
  'test/fixtures/iso-codes/README.md',
];
const pages = [...OTHER_PAGES, ...pagesIn('docs')];

/** As GitHub names the anchor of a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

/** The anchors of a page; a comment in a block of commands is no heading. */
const anchorsIn = (page: string) =>
  [
    ...read(page)
      .replaceAll(/^```.*?^```$/gms, '')
      .matchAll(/^#+ (.+)$/gm),
  ].map(([, heading = '']) => anchorOf(heading));

/** Where a link leads, if it leads nowhere; `from` is the folder that it is relative to. */
function broken(from: string, link: string): string | undefined {
  const [path = '', anchor] = link.split('#', 2);
  const target = path === '' ? undefined : join(from, path);
  if (target !== undefined && !existsSync(join(ROOT, target))) return link;
  return anchor !== undefined && target?.endsWith('.md') && !anchorsIn(target).includes(anchor) ? link : undefined;
}

const linksIn = (text: string) => [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
const isRelative = (link: string) => !/^(https?:|mailto:|\/)/.test(link);

describe('the links of the documents', () => {
  it.each(pages)('lead somewhere: %s', (page) => {
    const links = linksIn(read(page)).filter(isRelative);
    const inPage = links.map((link) => (link.startsWith('#') ? page.replace(/^.*\//, '') + link : link));
    expect(inPage.flatMap((link) => broken(dirname(page), link) ?? [])).toEqual([]);
  });

  it.each(pages)('name only files that there are: %s', (page) => {
    const paths = [...read(page).matchAll(/`((?:src|test|scripts|bench)\/[\w./-]+\.\w+)`/g)];
    expect(paths.map(([, path = '']) => path).filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('lead from the index to every page', () => {
    const [index, decisions] = ['docs/README.md', 'docs/decisions/README.md'].map((page) =>
      linksIn(read(page)).map((link) => join(dirname(page), link.split('#')[0] ?? '')),
    );
    const listed = new Set([...(index ?? []), ...(decisions ?? []), 'docs/README.md']);
    expect(pagesIn('docs').filter((page) => !listed.has(page))).toEqual([]);
  });

  it('are followed by what names a page without linking to it: code, containers, scripts', () => {
    const files = ['.env.example', ...['src', 'docker', 'scripts', 'test/e2e'].flatMap(filesIn)];
    const named = files.flatMap((file) =>
      [...read(file).matchAll(/\bdocs\/[\w/-]+\.md(?:#[\w-]+)?/g)].map(([page]) => ({ file, page })),
    );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter(({ page }) => broken('', page) !== undefined)).toEqual([]);
  });
});

describe('the decisions', () => {
  it.each(pagesIn('docs/decisions').filter((page) => !page.endsWith('README.md')))(
    'say since when they hold, and whether they still do: %s',
    (page) => {
      expect(read(page)).toMatch(/^# .+\n\n_(?:Accepted|Replaced by [^,]+), \d{4}-\d{2}-\d{2}[.;]/);
    },
  );
});
