import { createInterface } from 'node:readline';
import { styled } from './text';

/** Whoever was asked has left with Ctrl-C or Ctrl-D. */
export class Interrupted extends Error {}

/** Whether somebody sits there who can answer: only at a terminal, and never with `--json`. */
export const canAsk = (): boolean => process.stdin.isTTY && process.stdout.isTTY && !process.argv.includes('--json');

interface Question {
  text: string;
  /** What an empty answer means. */
  fallback?: string;
  /** What is wrong with an answer, which is then asked for again; null: nothing. */
  refusal?: (answer: string) => string | null;
}

export type Ask = (question: Question) => Promise<string>;

/** Asks at the terminal; what is typed ahead answers the questions that follow. */
export async function asking<T>(task: (ask: Ask) => Promise<T>): Promise<T> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout, historySize: 0 });
  const lines = terminal[Symbol.asyncIterator]();
  terminal.once('SIGINT', () => {
    terminal.close();
  });
  try {
    return await task(async ({ text, fallback, refusal }) => {
      terminal.setPrompt(`${styled('bold', text)}${fallback === undefined ? '' : ` [${fallback}]`}: `);
      for (;;) {
        terminal.prompt();
        const line = await lines.next();
        if (line.done) throw new Interrupted('Nothing was done');
        const typed = line.value.trim();
        const answer = typed === '' && fallback !== undefined ? fallback : typed;
        const reason = refusal?.(answer) ?? null;
        if (reason === null) return answer;
        process.stdout.write(`${styled('red', reason)}\n`);
      }
    });
  } catch (error) {
    // The cursor stands behind a question.
    if (error instanceof Interrupted) process.stdout.write('\n');
    throw error;
  } finally {
    terminal.close();
  }
}
