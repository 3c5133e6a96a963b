import type { FaultLoad } from './load';

type Cell = string | number;

/** Prints a table line by line, since what it tells of takes minutes. */
export class Table {
  private isHeaded = false;

  /** The heads of the columns, and how many characters wide they are. */
  constructor(private readonly columns: readonly (readonly [head: string, width: number])[]) {}

  print(...cells: Cell[]): void {
    if (!this.isHeaded) this.write(this.columns.map(([head]) => head));
    this.isHeaded = true;
    this.write(cells);
  }

  private write(cells: Cell[]): void {
    const padded = cells.map((cell, index) => String(cell).padEnd(this.columns[index]?.[1] ?? 0));
    process.stderr.write(`| ${padded.join('| ')}|\n`);
  }
}

interface FaultRow {
  sent: number;
  acknowledged: number;
  refused: number;
  lost: number;
  /** Until the service was as before. */
  recoveryMs: number;
}

const table = new Table([
  ['fault', 64],
  ['sent', 8],
  ['acknowledged', 14],
  ['refused', 9],
  ['lost', 6],
  ['recovery', 12],
]);

/** Prints one line of a table: what a fault did. */
export function reportFault(fault: string, { sent, acknowledged, refused, lost, recoveryMs }: FaultRow): void {
  table.print(fault, sent, acknowledged, refused, lost, `${Math.round(recoveryMs)} ms`);
}

/** What a load has seen, as a line of the table shows it. */
export const seenBy = ({ sent, acknowledged, refused, unanswered }: FaultLoad) => ({
  ...{ sent, acknowledged },
  refused: refused + unanswered,
});
