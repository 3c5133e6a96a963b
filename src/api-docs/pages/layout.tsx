import type { ComponentChildren, VNode } from 'preact';
import { render } from 'preact-render-to-string';
import type { Rendered } from '../markdown/markdown';
import { addressOf, PAGES, REFERENCE, SITE, type SitePage } from './site';

/** From this many on, a page lists its headings. */
const LONG = 4;

/** A page of which the Markdown has been rendered. */
export const pageDocument = (page: SitePage, { html, sections }: Rendered): string => {
  const headings = sections.filter(({ level }) => level === 2);
  const contents = headings.length >= LONG && (
    <ul>
      {headings.map(({ id, title }) => (
        <li>
          <a href={`#${id}`}>{title}</a>
        </li>
      ))}
    </ul>
  );
  return documentOf(
    page,
    <div class="columns">
      <nav class="pages" aria-label="Pages">
        <AllPages page={page} />
      </nav>
      <main id="main" data-filter={page.filter}>
        {contents && (
          <details class="contents">
            <summary>On this page</summary>
            {contents}
          </details>
        )}
        <article dangerouslySetInnerHTML={{ __html: html }} />
        <Neighbours page={page} />
      </main>
      {contents && (
        <nav class="contents" aria-label="On this page">
          <p>On this page</p>
          {contents}
        </nav>
      )}
    </div>,
  );
};

/** The page in which Swagger UI shows the API. */
export const referenceDocument = (): string =>
  documentOf(
    REFERENCE,
    <main id="main">
      <noscript>
        <p class="no-script">
          The reference is shown by a script. Without one read <a href="/openapi.json">openapi.json</a>, or the{' '}
          <a href="/docs/guides">guides</a>.
        </p>
      </noscript>
      <div id="swagger-ui" />
    </main>,
    <>
      <link rel="stylesheet" href="/docs/swagger-ui.css" />
      <link rel="stylesheet" href="/docs/assets/reference.css" />
      <script src="/docs/swagger-ui-bundle.js" defer />
      <script src="/docs/swagger-ui-standalone-preset.js" defer />
      <script src="/docs/swagger-ui-init.js" defer />
      <script src="/docs/assets/reference.js" type="module" />
    </>,
  );

const documentOf = (page: SitePage, content: VNode, head?: VNode): string =>
  `<!doctype html>\n${render(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${page.title} · Consumer service API`}</title>
        <link rel="icon" href="/docs/assets/icon.svg" type="image/svg+xml" />
        {head}
        <link rel="stylesheet" href="/docs/assets/docs.css" />
        <script src="/docs/assets/docs.js" type="module" />
      </head>
      <body class={page === REFERENCE ? 'reference' : undefined}>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        <header class="top">
          <a class="brand" href="/docs/start">
            Consumer service <span>Developers</span>
          </a>
          <nav class="sections" aria-label="Sections">
            <ul>
              {SITE.map(({ title, pages }) => (
                <PageLink
                  page={pages[0] ?? REFERENCE}
                  current={pages.some((one) => holds(one, page)) ? 'true' : undefined}
                >
                  {title}
                </PageLink>
              ))}
            </ul>
          </nav>
          <div class="search" role="search" hidden />
          <details class="menu">
            <summary>Menu</summary>
            <nav aria-label="All pages">
              <AllPages page={page} />
            </nav>
          </details>
        </header>
        {content}
      </body>
    </html>,
  )}`;

const AllPages = ({ page }: { page: SitePage }): VNode => (
  <>
    {SITE.map((section) => (
      <div>
        <p>{section.title}</p>
        <ul>
          {section.pages.map((one) => (
            <PageLink page={one} current={one === page ? 'page' : holds(one, page) ? 'true' : undefined}>
              {one.title}
            </PageLink>
          ))}
        </ul>
      </div>
    ))}
  </>
);

interface PageLinkProps {
  page: SitePage;
  current: 'page' | 'true' | undefined;
  children: ComponentChildren;
}

const PageLink = ({ page, current, children }: PageLinkProps): VNode => (
  <li>
    <a href={addressOf(page)} aria-current={current}>
      {children}
    </a>
  </li>
);

/** Whether this is the page, or the page has no entry of its own and lies below it. */
const holds = (one: SitePage, page: SitePage): boolean =>
  one === page || (!PAGES.includes(page) && page.slug.startsWith(`${one.slug}/`));

/** The pages before and after this one; one that is not in the table has none. */
const Neighbours = ({ page }: { page: SitePage }): VNode | null => {
  const index = PAGES.indexOf(page);
  if (index === -1) return null;
  const [before, after] = [PAGES[index - 1], PAGES[index + 1]];
  return (
    <nav class="neighbours" aria-label="Before and after">
      {before && (
        <a href={addressOf(before)} rel="prev">
          <span>Before</span> {before.title}
        </a>
      )}
      {after && (
        <a href={addressOf(after)} rel="next">
          <span>Next</span> {after.title}
        </a>
      )}
    </nav>
  );
};
