/** A page of the documentation. */
export interface SitePage {
  /** Its path below `/docs/`; empty for the API reference, which Swagger UI shows. */
  slug: string;
  title: string;
  /** Its Markdown in the repository; a page without one is made by the program. */
  file?: string;
  /** What the box says by which a reader narrows its table. */
  filter?: string;
}

interface SiteSection {
  title: string;
  pages: SitePage[];
}

export const REFERENCE: SitePage = { slug: '', title: 'API reference' };
export const ERRORS: SitePage = { slug: 'errors', title: 'Errors', filter: 'Find an error' };

const guide = (name: string, title: string): SitePage => ({
  ...{ slug: `guides/${name}`, title },
  file: `docs/integrate/guides/${name}.md`,
});

/** The whole site, in the order in which it is read. */
export const SITE: SiteSection[] = [
  {
    title: 'Start',
    pages: [
      { slug: 'start', title: 'Start here', file: 'docs/integrate/start.md' },
      { slug: 'getting-started', title: 'Every call with curl', file: 'docs/integrate/getting-started.md' },
      { slug: 'sandbox', title: 'Sandbox', file: 'docs/integrate/sandbox.md' },
    ],
  },
  {
    title: 'Guides',
    pages: [
      { slug: 'guides', title: 'How to integrate', file: 'docs/integrate/README.md' },
      guide('register', 'Register'),
      guide('verified-registration', 'Verified registration'),
      guide('login', 'Login and logout'),
      guide('forgot-password', 'Forgot password'),
      guide('stay-signed-in', 'Stay signed in'),
      guide('identify', 'Identity providers'),
      guide('profile', 'Profile'),
      guide('events', 'Events'),
      { slug: 'webhooks', title: 'Webhooks', file: 'docs/integrate/webhooks.md' },
      { slug: 'migrate', title: 'Come from another system', file: 'docs/integrate/migrate.md' },
    ],
  },
  {
    title: 'Reference',
    pages: [REFERENCE, ERRORS, { slug: 'limits', title: 'Limits and retries', file: 'docs/integrate/limits.md' }],
  },
  {
    title: 'Going live',
    pages: [
      { slug: 'going-live', title: 'Checklist', file: 'docs/integrate/going-live.md' },
      { slug: 'versions', title: 'Versions', file: 'docs/integrate/versions.md' },
      { slug: 'changelog', title: 'Changelog', file: 'CHANGELOG.md' },
    ],
  },
];

export const PAGES: SitePage[] = SITE.flatMap(({ pages }) => pages);

export const addressOf = ({ slug }: SitePage): string => (slug === '' ? '/docs' : `/docs/${slug}`);
