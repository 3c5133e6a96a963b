import { existsSync } from 'node:fs';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';

const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** For pages that are ours alone: Swagger UI has two `main`. */
export const BEST_PRACTICES = [...WCAG, 'best-practice'];

/** The system's own Chromium, without a window. */
export function launchChromium(): Promise<Browser> {
  if (!existsSync(CHROMIUM)) {
    throw new Error(`There is no ${CHROMIUM}: run scripts/install-chromium.sh, or name another in CHROMIUM_PATH`);
  }
  return chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
}

/** The violations of WCAG 2.0 to 2.2, A and AA, on the present page, or of these rules. */
export async function violations(page: Page, rules = WCAG): Promise<string[]> {
  // Not as a script of the page, which its Content-Security-Policy forbids.
  await page.evaluate(axe.source);
  const found = await page.evaluate(
    `axe.run({ runOnly: ${JSON.stringify(rules)} }).then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].html))`,
  );
  return found as string[];
}
