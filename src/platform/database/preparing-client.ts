import { createHash } from 'node:crypto';
import { Client, type QueryResult } from 'pg';

const names = new Map<string, string>();

/** The columns have changed since the statement was prepared: nothing has run. */
const OUTDATED_STATEMENT = '0A000';

/**
 * Marks the text of a statement that requests repeat: outside transactions it is prepared, since planning can cost
 * more than running it (the read of a profile: eight times as much).
 */
export function prepared(text: string): string {
  // Of the text alone: another version of the service behind the same pooler must not mean another statement by it.
  names.set(text, createHash('sha256').update(text).digest('base64url'));
  return text;
}

/** A `pg` client that prepares the statements marked so. */
export class PreparingClient extends Client {
  /** `pg` declares one method for all its forms. */
  override query(...args: unknown[]): never {
    const [text, values] = args;
    const canRepeat = args.length === 2 && this.getTransactionStatus() === 'I';
    const name = canRepeat ? names.get(text as string) : undefined;
    return (name === undefined ? this.run(...args) : this.runPrepared(name, text as string, values)) as never;
  }

  private async runPrepared(name: string, text: string, values: unknown): Promise<QueryResult> {
    try {
      return await this.run({ name, text, values });
    } catch (error) {
      if ((error as { code?: string }).code !== OUTDATED_STATEMENT) throw error;
      return this.run(text, values);
    }
  }

  private run(...args: unknown[]): Promise<QueryResult> {
    return (super.query as (...args: unknown[]) => Promise<QueryResult>)(...args);
  }
}
