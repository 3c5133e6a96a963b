import { printable, styled } from './text';

/** One line per field; an empty line separates the entries of a list. */
export function readable(result: unknown, indent = ''): string {
  if (Array.isArray(result)) return result.map((entry) => readable(entry, indent)).join('\n\n');
  if (typeof result !== 'object' || result === null) return `${indent}${printable(String(result))}`;
  return Object.entries(result)
    .map(([name, value]) =>
      typeof value === 'object' && value !== null
        ? `${indent}${styled('bold', `${printable(name)}:`)}\n${readable(value, `${indent}  `)}`
        : `${indent}${printable(name)}: ${coloured(name, value, value === null ? '-' : printable(String(value)))}`,
    )
    .join('\n');
}

/** Secrets that are shown once, and what lets somebody in or not. */
function coloured(name: string, value: unknown, text: string): string {
  if (typeof value === 'string' && /^(key|secret|link)$/.test(name)) return styled('yellow', text);
  if (name === 'enabled') return styled(value === true ? 'green' : 'red', text);
  return name === 'disabledAt' && value !== null ? styled('red', text) : text;
}

type Scalar = string | number | boolean | null | undefined;
type Entry = Record<string, unknown>;

const UNKNOWN_WIDTH = 80;
const GAP = '  ';

/**
 * A list on a terminal: a table of these columns, of which the last is cut where the terminal ends; or of all fields,
 * where that fits.
 */
export function listView(list: unknown[], width: number, columns?: string[]): string {
  if (list.length === 0) return styled('dim', 'none');
  if (!list.every(isEntry)) return readable(list);
  const names = columns ?? Object.keys(list[0] ?? {});
  return tableOf(list, names, width || UNKNOWN_WIDTH, columns !== undefined) ?? titled(list);
}

/** Null where it would be wider than the terminal, or a field holds more than one value. */
function tableOf(entries: Entry[], columns: string[], width: number, isLastCut: boolean): string | null {
  const rows = entries.map((entry) => columns.map((name) => entry[name]).filter(isScalar));
  if (rows.some((row) => row.length < columns.length)) return null;
  const texts = [columns, ...rows.map((row) => row.map(cellText))];
  const widths = columns.map((_, column) => Math.max(...texts.map((cells) => cells[column]?.length ?? 0)));
  const last = columns.length - 1;
  const room = width - widths.slice(0, -1).reduce((sum, each) => sum + each + GAP.length, 0);
  if (room < ((isLastCut ? columns[last]?.length : widths[last]) ?? 0)) return null;
  const lines = texts.map((cells, line) =>
    cells
      .map((text, column) => {
        const fitted = column < last ? text.padEnd(widths[column] ?? 0) : cut(text, room);
        return line === 0 ? fitted : coloured(columns[column] ?? '', rows[line - 1]?.[column], fitted);
      })
      .join(GAP),
  );
  return [styled('bold', lines[0] ?? ''), ...lines.slice(1)].join('\n');
}

const cut = (text: string, width: number): string => (text.length > width ? `${text.slice(0, width - 1)}…` : text);

/** The first line of each entry is its heading. */
const titled = (entries: Entry[]): string =>
  entries.map((entry) => readable(entry).replace(/^.*$/m, (first) => styled('bold', first))).join('\n\n');

const isEntry = (entry: unknown): entry is Entry => typeof entry === 'object' && entry !== null;
const isScalar = (value: unknown): value is Scalar => typeof value !== 'object' || value === null;

/** Points in time to the minute, which is what people compare. */
const cellText = (value: Scalar): string =>
  printable(String(value ?? '-')).replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(\.\d+)?Z$/, '$1 $2Z');
