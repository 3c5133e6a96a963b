import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(__dirname, '../../../..');
const CACHE = join(ROOT, 'node_modules/.cache/consumer-service');

/** An embedded database that is made once for all runs of the tests, and anew when what it is made of has changed. */
export class TemplateDatabase {
  private readonly path: string;

  /** `ingredients` are files and directories of the project; `make` makes the database in a data directory. */
  constructor(
    name: string,
    ingredients: string[],
    private readonly make: (dataDir: string) => Promise<void>,
  ) {
    this.path = join(CACHE, `${name}-${digest(ingredients)}`);
  }

  /** It appears complete or not at all; of two that make it at once, one is kept. */
  async prepare(): Promise<void> {
    if (existsSync(this.path)) return;
    // Not in its place: the path of a database's socket must be short.
    const dataDir = await mkdtemp(join(tmpdir(), 'template-'));
    await this.make(dataDir);
    await mkdir(CACHE, { recursive: true });
    const draft = await mkdtemp(`${this.path}-`);
    await cp(databaseIn(dataDir), draft, { recursive: true });
    await rm(dataDir, { recursive: true });
    await rename(draft, this.path).catch(async (error: unknown) => {
      if (!existsSync(this.path)) throw error;
      await rm(draft, { recursive: true });
    });
  }

  /** Gives a data directory a copy of it. */
  copyTo(dataDir: string): Promise<void> {
    return cp(this.path, databaseIn(dataDir), { recursive: true });
  }
}

const databaseIn = (dataDir: string): string => join(dataDir, 'database');

/** Tells apart what these files and directories hold. */
export function digest(ingredients: string[]): string {
  const hash = createHash('sha256');
  for (const file of ingredients.flatMap(filesOf)) hash.update(`${file}\n`).update(readFileSync(join(ROOT, file)));
  return hash.digest('hex').slice(0, 16);
}

const filesOf = (name: string): string[] =>
  name.includes('.') ? [name] : readdirSync(join(ROOT, name)).map((file) => `${name}/${file}`);
