import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { posix } from 'node:path';
import { ERROR_CODES, errorList, errorPage } from './error-markdown';
import { pageDocument } from './layout';
import { type Rendered, renderMarkdown } from '../markdown/markdown';
import { addressOf, ERRORS, PAGES, REFERENCE, type SitePage } from './site';

/** What the build has copied, under its path in the repository. */
const FILES = join(__dirname, '../..');

/** What the service itself serves of what files link to. */
const SERVED: Record<string, string> = {
  'docs/openapi.json': '/openapi.json',
  'docs/openapi-3.0.json': '/openapi-3.0.json',
};

const NOT_FOUND = `
# There is no such page

Compare the address: case and trailing slashes count. [Start here](/docs/start), see [all errors](/docs/errors), or search.
`;

/** What is found: a heading, with what stands below it. */
interface SearchEntry {
  id: number;
  address: string;
  page: string;
  title: string;
  text: string;
}

const ERROR_PAGES = new Map(
  ERROR_CODES.map((code) => [`errors/${code}`, { page: { slug: `errors/${code}`, title: code }, code }]),
);

/** The HTML at this address below `/docs/`, if there is a page. */
export async function htmlOf(slug: string): Promise<string | undefined> {
  const page = ERROR_PAGES.get(slug)?.page ?? PAGES.find((one) => one.slug === slug);
  return page && pageDocument(page, await rendered(page));
}

/** The HTML for an address at which there is no page. */
export const notFoundHtml = (): string =>
  pageDocument(
    { slug: 'not-found', title: 'Not found' },
    renderMarkdown(NOT_FOUND, (href) => href),
  );

/** Every page but the API reference, by its headings; an error is found as a whole. */
export async function searchIndex(): Promise<SearchEntry[]> {
  const entries: Omit<SearchEntry, 'id'>[] = [];
  for (const page of PAGES) {
    if (page === REFERENCE) continue;
    for (const { id, level, title, text } of (await rendered(page)).sections) {
      const address = level === 1 ? addressOf(page) : `${addressOf(page)}#${id}`;
      entries.push({ address, page: page.title, title, text: page === ERRORS ? '' : text });
    }
  }
  for (const { page } of ERROR_PAGES.values()) {
    const text = (await rendered(page)).sections.map((section) => section.text).join(' ');
    entries.push({ address: addressOf(page), page: ERRORS.title, title: page.title, text });
  }
  return entries.map((entry, id) => ({ id, ...entry }));
}

async function rendered(page: SitePage): Promise<Rendered> {
  const { file } = page;
  if (file === undefined) {
    const code = ERROR_PAGES.get(page.slug)?.code;
    return renderMarkdown(code === undefined ? errorList() : errorPage(code), (href) => href);
  }
  return renderMarkdown(await readFile(join(FILES, file), 'utf8'), (href) => linkOf(href, file));
}

/** Where a link of this file leads on the site; a file that the site does not show is not linked to. */
function linkOf(href: string, file: string): string | undefined {
  if (/^(https?:|mailto:|\/|#)/.test(href)) return href;
  const [path = '', anchor] = href.split('#', 2);
  const target = posix.join(dirname(file), path);
  const page = PAGES.find((one) => one.file === target);
  const address = page ? addressOf(page) : SERVED[target];
  return address !== undefined && anchor !== undefined ? `${address}#${anchor}` : address;
}
