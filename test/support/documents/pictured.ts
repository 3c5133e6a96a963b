import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';

const ROOT = join(__dirname, '../../..');
const SHOTS = join(ROOT, 'test-logs/pictured');
/** What `UPDATE_IMAGES=yes` makes anew: the pictures, and the text of each. */
const IMAGES = join(ROOT, 'docs/images');
const TEXTS = join(ROOT, 'test/browser/pictured');

/** Holds that a picture in the documentation shows what its text says: what is on the page now. */
export async function expectAsPictured(part: Locator, name: string): Promise<void> {
  const text = `${lasting(await part.innerText())}\n`;
  const shot = join(SHOTS, `${name}.png`);
  mkdirSync(SHOTS, { recursive: true });
  await part.screenshot({ path: shot });
  if (process.env.UPDATE_IMAGES !== undefined) {
    copyFileSync(shot, join(IMAGES, `${name}.png`));
    writeFileSync(join(TEXTS, `${name}.txt`), text);
  }
  expect(text).toBe(readFileSync(join(TEXTS, `${name}.txt`), 'utf8'));
}

/** What differs between two runs is left out. */
const lasting = (text: string): string =>
  text
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/g, 'TIME')
    .replace(/\d+/g, '0')
    .replace(/(Redis\s+)(answers|not used)/, '$1answers')
    .replace(/\s*\n\s*/g, '\n');
