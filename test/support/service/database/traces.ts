import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestService } from '../test-service';

/** Where one of the words can be read: tables of any schema, and files of `DATA_DIR` byte for byte. */
export async function tracesOf(app: TestService, words: string[]): Promise<string[]> {
  return [...(await tracesInTables(app, words)), ...(await tracesInFiles(app, words))];
}

async function tracesInTables(app: TestService, words: string[]): Promise<string[]> {
  const tables = await app.query<{ name: string }>(
    `SELECT format('%I.%I', n.nspname, c.relname) AS name
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'm')`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await app.query<{ text: string }>(
      `SELECT t::text AS text FROM ${name} t WHERE t::text ILIKE ANY($1)`,
      [words.map((word) => `%${word}%`)],
    );
    found.push(...rows.map(({ text }) => `${name}: ${text}`));
  }
  return found;
}

async function tracesInFiles({ dataDir }: TestService, words: string[]): Promise<string[]> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries.filter((candidate) => candidate.isFile())) {
    const path = join(entry.parentPath, entry.name);
    const bytes = await readFile(path);
    found.push(...words.filter((word) => bytes.includes(word)).map((word) => `${path}: ${word}`));
  }
  return found;
}
