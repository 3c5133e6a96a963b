import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const ROOT = join(__dirname, '../../../..');
/** `TEST_CACHE` is for a run whose templates nobody else shall have. */
const CACHE = process.env.TEST_CACHE ?? join(ROOT, 'node_modules/.cache/consumer-service');

/** An embedded database that is made once for all runs of the tests, and anew when what it is made of has changed. */
export class TemplateDatabase {
  private readonly path: string;

  /** `ingredients` are files and directories of the project; `make` makes the database in a data directory. */
  constructor(
    private readonly name: string,
    ingredients: string[],
    private readonly make: (dataDir: string) => Promise<void>,
  ) {
    this.path = join(CACHE, `${name}-${digest(ingredients)}`);
  }

  /** It appears complete or not at all; of two that make it at once, one is kept. */
  async prepare(): Promise<void> {
    if (existsSync(this.path)) return;
    // Made elsewhere: the path of a socket must be short.
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
    await this.removeOthers();
  }

  /** Gives a data directory a copy of it. */
  copyTo(dataDir: string): Promise<void> {
    return cp(this.path, databaseIn(dataDir), { recursive: true });
  }

  /** What was made of other ingredients; what another process is making of these is left to it. */
  private async removeOthers(): Promise<void> {
    const others = (await readdir(CACHE)).filter(
      (entry) => entry.startsWith(`${this.name}-`) && !entry.startsWith(basename(this.path)),
    );
    for (const entry of others) await rm(join(CACHE, entry), { recursive: true, force: true });
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
  statSync(join(ROOT, name)).isDirectory() ? readdirSync(join(ROOT, name)).map((file) => `${name}/${file}`) : [name];
