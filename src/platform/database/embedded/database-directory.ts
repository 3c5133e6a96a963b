import { access, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const directoryOf = (dataDir: string): string => join(dataDir, 'database');
const markOf = (dataDir: string): string => join(dataDir, 'database.incomplete');

/** The directory of the database. If its creation was interrupted it is emptied: it was never used. */
export async function prepareDirectory(dataDir: string): Promise<string> {
  const directory = directoryOf(dataDir);
  const mark = markOf(dataDir);
  if (await exists(mark)) await rm(directory, { recursive: true, force: true });
  if (!(await exists(directory))) await writeFile(mark, '', { mode: 0o600 });
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return directory;
}

/** To be called once the database has opened, before anybody uses it. */
export const finishCreation = (dataDir: string): Promise<void> => rm(markOf(dataDir), { force: true });

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
