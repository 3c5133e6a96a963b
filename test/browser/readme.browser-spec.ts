import type { Browser } from 'playwright-core';
import { launchChromium } from '../support/documents/browser';
import { expectAsPictured } from '../support/documents/pictured';
import { TestService } from '../support/service/test-service';

describe('the picture of the README', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());

  it('shows every operation for consumers', async () => {
    const app = await TestService.shared();
    // High enough to scroll nothing, since the header would cover the heading.
    const page = await browser.newPage({ colorScheme: 'light', viewport: { width: 1060, height: 4000 } });
    await page.goto(`${app.baseUrl}/docs`);
    const section = page.locator('.opblock-tag-section', { hasText: 'Registration, login, the profile' });
    await section.locator('#operations-Consumers-postRegister').waitFor();
    await expectAsPictured(section, 'api');
  });
});
