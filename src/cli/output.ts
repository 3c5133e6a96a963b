import { printable, styled } from './text';
import { listView, readable } from './view';

/** One line for people, on standard error. */
export function printMessage(line: string): void {
  process.stderr.write(`${printable(line)}\n`);
}

/** The same, for what must not be overlooked. */
export function printWarning(line: string): void {
  process.stderr.write(`${styled('yellow', printable(line), process.stderr)}\n`);
}

/** Why a command failed; with `--json` as one JSON object. On a terminal the hint says what helps. */
export function printFailure(message: string, hint?: string): void {
  if (process.argv.includes('--json')) {
    printMessage(JSON.stringify({ error: message }));
    return;
  }
  for (const line of message.split('\n')) process.stderr.write(`${styled('red', printable(line), process.stderr)}\n`);
  if (hint !== undefined && process.stderr.isTTY) printMessage(hint);
}

/** The reader of the output may stop, as `head` does: the command then ends normally. A full disk is reported. */
export function watchOutput(): void {
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    printFailure(`The output could not be written: ${error.message}`);
    process.exit(1);
  });
}

/** The result of a command: for people, or with `--json` as one JSON value. `columns` are the most useful of a list. */
export function printResult(result: object, { json }: { json?: boolean }, columns?: string[]): void {
  const isWatchedList = Array.isArray(result) && process.stdout.isTTY;
  const text = () => (isWatchedList ? listView(result, process.stdout.columns, columns) : readable(result));
  process.stdout.write(`${json ? printable(JSON.stringify(result)) : text()}\n`);
}
