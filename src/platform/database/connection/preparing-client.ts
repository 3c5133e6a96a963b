import { createHash } from 'node:crypto';
import { Client, type QueryResult } from 'pg';

const names = new Map<string, string>();

/** Nothing has run yet when the server says that it does not know the statement, or has another by that name. */
const MISSED_STATEMENT = new Set(['26000', '42P05']);

/** The columns have changed since the statement was prepared; again nothing has run. */
const OUTDATED_STATEMENT = '0A000';

/**
 * Marks the text of a statement that requests repeat: outside transactions it is prepared, since planning can cost
 * more than running it (the read of a profile: eight times as much).
 */
export function prepared(text: string): string {
  // Made from the text alone: another version of the service behind the same pooler must not use the name for another
  // statement.
  if (!names.has(text)) names.set(text, createHash('sha256').update(text).digest('base64url'));
  return text;
}

/**
 * A `pg` client that prepares the marked statements. A pooler that changes connections after each transaction
 * (PgBouncer before 1.21) loses prepared statements; after the first loss this process sends statements without names.
 */
export function preparingClient(): typeof Client {
  let prepares = true;

  class PreparingClient extends Client {
    /** `pg` declares one method for all its forms. */
    override query(...args: unknown[]): never {
      const [text, values] = args;
      const canRepeat = prepares && args.length === 2 && this.getTransactionStatus() === 'I';
      const name = canRepeat ? names.get(text as string) : undefined;
      return (name === undefined ? this.run(...args) : this.runPrepared(name, text as string, values)) as never;
    }

    private async runPrepared(name: string, text: string, values: unknown): Promise<QueryResult> {
      try {
        return await this.run({ name, text, values });
      } catch (error) {
        const { code } = error as { code?: string };
        if (code !== OUTDATED_STATEMENT && !MISSED_STATEMENT.has(code ?? '')) throw error;
        if (code !== OUTDATED_STATEMENT) prepares = false;
        return this.run(text, values);
      }
    }

    private run(...args: unknown[]): Promise<QueryResult> {
      return (super.query as (...args: unknown[]) => Promise<QueryResult>)(...args);
    }
  }
  return PreparingClient;
}
