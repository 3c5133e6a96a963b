import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyTemplateTo } from './database-template';
import { TestApp, type TestAppOptions } from './test-app';
import { createTestDatabase, type TestDatabase } from '../service/database/test-database';

/** A database and a data directory that outlive the services on them, of which one runs at a time. */
export class Restarts {
  private constructor(
    readonly dataDir: string,
    private readonly database: TestDatabase | null,
  ) {}

  static async create(): Promise<Restarts> {
    const serverUrl = process.env.TEST_DATABASE_URL;
    const dataDir = await mkdtemp(join(tmpdir(), 'consumer-service-test-'));
    if (serverUrl !== undefined) return new Restarts(dataDir, await createTestDatabase(serverUrl));
    await copyTemplateTo(dataDir);
    return new Restarts(dataDir, null);
  }

  start({ env, ...options }: TestAppOptions = {}): Promise<TestApp> {
    const place = { DATA_DIR: this.dataDir, ...(this.database && { DATABASE_URL: this.database.url }) };
    return TestApp.start({ ...options, env: { ...place, ...env } });
  }

  async dispose(): Promise<void> {
    await this.database?.drop();
    await rm(this.dataDir, { recursive: true, force: true });
  }
}
