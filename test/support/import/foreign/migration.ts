import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiClient } from '../../api/api-client';
import type { SessionBody } from '../../api/consumers';
import { TestService } from '../../service/test-service';
import { readLines } from '../file';
import type { ImportSummary } from '../installation';
import type { Person } from './people';

/** So many logins at a time. */
const AT_ONCE = 16;

export interface MigrationSummary extends ImportSummary {
  notKept: Record<string, number>;
}

/** What the report says of a record, without its messages. */
export type Refused = [line: number, ...errors: [field: string, code: string][]];

/** A consumer as a new import would take it. */
export type Exported = Record<string, unknown>;

/** Files of another system, and the service that they are imported into. */
export class Migration {
  private files = 0;

  private constructor(
    readonly service: TestService,
    private readonly client: ApiClient,
    private readonly directory: string,
  ) {}

  static async start(): Promise<Migration> {
    const service = await TestService.shared();
    return new Migration(service, await service.client(), await mkdtemp(join(tmpdir(), 'migration-')));
  }

  async file(content: string | Buffer): Promise<string> {
    this.files += 1;
    const path = join(this.directory, `file-${this.files}`);
    await writeFile(path, content);
    return path;
  }

  import(file: string, ...options: string[]): Promise<MigrationSummary> {
    return this.service.administer<MigrationSummary>('consumer', 'import', file, ...options);
  }

  /** Of an import that must succeed. */
  async refusals(file: string, ...options: string[]): Promise<{ summary: MigrationSummary; refused: Refused[] }> {
    const report = join(this.directory, `report-${(this.files += 1)}`);
    const summary = await this.import(file, ...options, '--report', report);
    const lines = await readLines<{ line: number; errors: { field: string; code: string }[] }>(report);
    const refused = lines.map(({ line, errors }): Refused => [
      line,
      ...errors.map(({ field, code }): [string, string] => [field, code]).sort(([a], [b]) => (a < b ? -1 : 1)),
    ]);
    return { summary, refused };
  }

  async login(identifier: string, password: string): Promise<{ status: number; customerId: string }> {
    const { status, body } = await this.client.post<SessionBody>('/api/v1/login', { identifier, password });
    return { status, customerId: body.customerId };
  }

  /** Everybody's, with the old passwords: how many were answered with each status. */
  async loginAll(people: Person[]): Promise<Record<number, number>> {
    const counts: Record<number, number> = {};
    for (let start = 0; start < people.length; start += AT_ONCE) {
      const some = people.slice(start, start + AT_ONCE);
      const answers = await Promise.all(some.map(({ email, password }) => this.login(email, password)));
      for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
    }
    return counts;
  }

  /** The stored hashes of these people, each without what makes it one of its kind. */
  async kindsOfHashes(people: Person[]): Promise<Record<string, number>> {
    const rows = await this.service.query<{ form: string; count: number }>(
      `SELECT substring(password_hash FROM '^(?:pepper:|\\$[^$]+\\$)') AS form, count(*)::int AS count
        FROM credential JOIN identifier USING (consumer_id) WHERE value = ANY($1) GROUP BY form`,
      [people.map(({ email }) => email)],
    );
    return Object.fromEntries(rows.map(({ form, count }) => [form, count]));
  }

  /** What is stored of one of them, as an export has it. */
  async exported({ email }: Pick<Person, 'email'>): Promise<Exported> {
    const path = join(this.directory, `export-${(this.files += 1)}`);
    await this.service.administer('consumer', 'export-all', path);
    const found = (await readLines<Exported>(path)).find((line) => line.email === email);
    if (!found) throw new Error(`${email} was not exported`);
    return found;
  }

  async close(): Promise<void> {
    await rm(this.directory, { recursive: true, force: true });
  }
}
