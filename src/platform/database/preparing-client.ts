import { createHash } from 'node:crypto';
import { Client, type QueryResult } from 'pg';

/** Statements that one connection keeps prepared at most; what is seen after these is planned each time. */
const MAX_STATEMENTS = 100;

/** Nothing has run yet when the server says one of these. */
const UNUSABLE_STATEMENT = new Set(['26000', '42P05', '0A000']);

/**
 * A `pg` client that prepares what it runs outside transactions: planning the read of a profile costs eight times its
 * execution. Behind a pooler that hands connections on after each transaction (PgBouncer before 1.21) prepared
 * statements come and go; the first one missed sends this process back to statements without names.
 */
export function preparingClient(): typeof Client {
  const names = new Map<string, string>();
  let prepares = true;

  /** Of the text alone: another version of the service behind the same pooler must not mean another statement by it. */
  const nameOf = (text: string): string | undefined => {
    const known = names.get(text);
    if (known !== undefined || names.size >= MAX_STATEMENTS) return known;
    const name = createHash('sha256').update(text).digest('base64url');
    names.set(text, name);
    return name;
  };

  class PreparingClient extends Client {
    /** `pg` declares one method for all its forms. */
    override query(...args: unknown[]): never {
      const [text, values] = args;
      const isStatement = args.length === 2 && typeof text === 'string' && Array.isArray(values) && values.length > 0;
      const canRepeat = this.getTransactionStatus() === 'I';
      const name = prepares && isStatement && canRepeat ? nameOf(text) : undefined;
      return (name === undefined ? this.run(...args) : this.runPrepared(name, text as string, values)) as never;
    }

    private async runPrepared(name: string, text: string, values: unknown): Promise<QueryResult> {
      try {
        return await this.run({ name, text, values });
      } catch (error) {
        if (!UNUSABLE_STATEMENT.has(String((error as { code?: unknown }).code))) throw error;
        prepares = false;
        return this.run(text, values);
      }
    }

    private run(...args: unknown[]): Promise<QueryResult> {
      return (super.query as (...args: unknown[]) => Promise<QueryResult>)(...args);
    }
  }
  return PreparingClient;
}
