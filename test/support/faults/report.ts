import type { FaultLoad } from './load';

const WIDTHS = [64, 8, 14, 9, 6, 12];

interface FaultRow {
  sent: number;
  acknowledged: number;
  refused: number;
  lost: number;
  /** Until the service was as before. */
  recoveryMs: number;
}

let headed = false;

/** Prints one line of a table: what a fault did. */
export function reportFault(fault: string, { sent, acknowledged, refused, lost, recoveryMs }: FaultRow): void {
  if (!headed) print('fault', 'sent', 'acknowledged', 'refused', 'lost', 'recovery');
  headed = true;
  print(fault, sent, acknowledged, refused, lost, `${Math.round(recoveryMs)} ms`);
}

/** What a load has seen, as a line of the table shows it. */
export const seenBy = ({ sent, acknowledged, refused, unanswered }: FaultLoad) => ({
  ...{ sent, acknowledged },
  refused: refused + unanswered,
});

const print = (...cells: (string | number)[]): void => {
  process.stderr.write(`| ${cells.map((cell, index) => String(cell).padEnd(WIDTHS[index] ?? 0)).join('| ')}|\n`);
};
