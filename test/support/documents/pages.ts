import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Of the repository, to which all paths here are relative. */
export const ROOT = join(__dirname, '../../..');

/** The files of a folder and of the folders in it. */
export const filesIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));

/** The Markdown pages among them. */
export const pagesIn = (folder: string): string[] => filesIn(folder).filter((name) => name.endsWith('.md'));
