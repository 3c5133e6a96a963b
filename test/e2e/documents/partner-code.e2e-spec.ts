import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blocksIn, GuidePage, TABS } from '../../support/guides/guide-pages';
import { pagesIn, ROOT } from '../../support/documents/pages';

const guides = GuidePage.all();

/** Pages beside the guides of which another file runs every block of some languages, and what that file calls the page. */
const RUN_ELSEWHERE: Record<string, [file: string, name: string]> = {
  'docs/integrate/start.md': ['test/e2e/documents/start-page.e2e-spec.ts', '/docs/start'],
  'docs/integrate/getting-started.md': ['test/e2e/documents/getting-started.e2e-spec.ts', '/docs/getting-started'],
  'docs/integrate/sandbox.md': ['test/e2e/sandbox/sandbox-command.e2e-spec.ts', 'docs/integrate/sandbox.md'],
};

describe('the code of the pages for partners', () => {
  it.each(TABS)('sends requests in the same way in every guide but that of events: %s', (tab) => {
    const setUps = guides.filter(({ name }) => name !== 'events').map((guide) => guide.setUp(tab));
    expect(new Set(setUps.map((code) => code.replace(/^public class \w+/m, ''))).size).toBe(1);
  });

  it.each(guides)('shows each step in every language, in one group of tabs: $name', ({ tabs }) => {
    const group = TABS.map((tab, index) => [tab, index > 0]);
    expect(tabs.length).toBeGreaterThan(2 * group.length);
    expect(tabs).toEqual(Array.from({ length: tabs.length / group.length }, () => group).flat());
  });

  it.each(pagesIn('docs/integrate').filter((page) => !page.includes('/guides/')))(
    'is run by a test, or says why it is not: %s',
    (page) => {
      const [file, name = page] = RUN_ELSEWHERE[page] ?? [];
      const other = file === undefined ? '' : readFileSync(join(ROOT, file), 'utf8');
      const run = other.includes(name)
        ? [...other.matchAll(/blocks(?:Of|In)\([^,()]+, '(\w+)'\)/g)].map(([, tab]) => tab)
        : [];
      const tabs: readonly string[] = TABS.filter((tab) => !run.includes(tab));
      const unsaid = blocksIn(page).filter(
        ({ language, before }) => tabs.includes(language) && !/^_Not run by a test: .+\._$/m.test(before),
      );
      expect(unsaid).toEqual([]);
    },
  );
});
