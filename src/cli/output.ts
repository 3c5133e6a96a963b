/** Characters that could control a terminal, hide text or begin a new line. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** Text from any source, safe to show: escaped as in JSON, so that JSON keeps its value. */
export const printable = (text: string): string =>
  text.replace(UNPRINTABLE, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );

/** One line for people, on standard error. */
export function printMessage(line: string): void {
  process.stderr.write(`${printable(line)}\n`);
}

/** Why a command failed; with `--json` as one JSON object. */
export function printFailure(message: string): void {
  if (process.argv.includes('--json')) printMessage(JSON.stringify({ error: message }));
  else message.split('\n').forEach(printMessage);
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

/** The result of a command: for people, or with `--json` as one JSON value. */
export function printResult(result: object, { json }: { json?: boolean }): void {
  process.stdout.write(`${json ? printable(JSON.stringify(result)) : readable(result)}\n`);
}

/** One line per field; an empty line separates the entries of a list. */
function readable(result: unknown, indent = ''): string {
  if (Array.isArray(result)) return result.map((entry) => readable(entry, indent)).join('\n\n');
  if (typeof result !== 'object' || result === null) return `${indent}${printable(String(result))}`;
  return Object.entries(result)
    .map(([name, value]) =>
      typeof value === 'object' && value !== null
        ? `${indent}${printable(name)}:\n${readable(value, `${indent}  `)}`
        : `${indent}${printable(name)}: ${value === null ? '-' : printable(String(value))}`,
    )
    .join('\n');
}
