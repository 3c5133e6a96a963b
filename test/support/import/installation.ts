import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestService } from '../service/test-service';

/** What `consumer import --json` prints. */
export interface ImportSummary {
  dryRun: boolean;
  lines: number;
  imported: number;
  refused: number;
  already: number;
}

/** Refused requests are recorded behind the tests. */
export const IMPORTED = `type = 'consumer.imported'`;

/** A service that consumers are imported into, beside a directory for the files. */
export class Installation {
  private constructor(
    readonly service: TestService,
    readonly directory: string,
  ) {}

  static async start(env: Record<string, string> = {}): Promise<Installation> {
    const directory = await mkdtemp(join(tmpdir(), 'import-'));
    return new Installation(await TestService.start({ env }), directory);
  }

  path(name: string): string {
    return join(this.directory, name);
  }

  async count(table: string, where = 'true'): Promise<number> {
    const [row] = await this.service.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM ${table} WHERE ${where}`,
    );
    return row?.count ?? -1;
  }

  importFile(file: string, ...options: string[]): Promise<ImportSummary> {
    return this.service.administer<ImportSummary>('consumer', 'import', file, ...options);
  }

  async close(): Promise<void> {
    await this.service.close();
    await rm(this.directory, { recursive: true, force: true });
  }
}
