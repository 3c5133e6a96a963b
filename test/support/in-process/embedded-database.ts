import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { type EmbeddedDatabase, openEmbeddedDatabase } from '../../../src/platform/database/embedded/embedded-database';
import './compiled-database';

type Reachable = Pick<EmbeddedDatabase, 'connection'>;

export const onFatal = (error: Error): void => {
  throw error;
};

export async function connect({ connection }: Reachable): Promise<Client> {
  const client = new Client(connection);
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Runs one statement on a connection of its own. */
export async function run(database: Reachable, sql: string): Promise<unknown[]> {
  const client = await connect(database);
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** A data directory with an empty database, to be copied: creating one takes seconds. */
export class TemplateDirectory {
  private constructor(private readonly path: string) {}

  static async create(): Promise<TemplateDirectory> {
    const path = await mkdtemp(join(tmpdir(), 'template-'));
    const database = await openEmbeddedDatabase({ dataDir: path, role: 'cli', onFatal });
    await database.close();
    return new TemplateDirectory(path);
  }

  /** Into a new directory, unless one is named. */
  async copy(directory?: string): Promise<string> {
    const copied = directory ?? (await mkdtemp(join(tmpdir(), 'data-')));
    await cp(this.path, copied, { recursive: true });
    return copied;
  }

  remove(): Promise<void> {
    return rm(this.path, { recursive: true });
  }
}
