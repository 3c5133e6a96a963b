/**
 * One line of the table; `madeOf` says what was measured, with units.
 *
 * @typedef {{ name: string, atLeast?: number, atMost?: number, value: number, madeOf: string }} Figure
 */

/** Machines are noisy: a figure within a tenth of its goal counts as met. */
const TOLERANCE = 1.1;
const COLUMNS = { figure: 56, goal: 8, measured: 8, 'made of': 52, verdict: 16 };

/** Three significant digits, or whole numbers above a thousand. @param {number} value */
const shown = (value) =>
  value >= 1000 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));

/**
 * The value of a figure that compares two measurements in one unit.
 *
 * @param {number} own
 * @param {number} other
 * @param {string} unit
 */
export const ratio = (own, other, unit) => ({
  value: own / other,
  madeOf: `${shown(own)} ${unit} ÷ ${shown(other)} ${unit}`,
});

/** How far a figure is from its goal: 1 is exactly there, more is missed. @param {Figure} figure */
const distance = ({ value, atLeast, atMost }) => (atLeast === undefined ? value / Number(atMost) : atLeast / value);

/** @param {Figure} figure */
export const isMissed = (figure) => !(distance(figure) <= TOLERANCE);

/** @param {Figure} figure */
function verdict(figure) {
  if (isMissed(figure)) return 'MISSED';
  return distance(figure) <= 1 ? 'holds' : 'within a tenth';
}

/** @param {string[]} cells */
function print(cells) {
  const widths = Object.values(COLUMNS);
  console.log(`| ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |`);
}

export function printHeader() {
  print(Object.keys(COLUMNS));
  print(Object.values(COLUMNS).map((width) => '-'.repeat(width)));
}

/** @param {Figure} figure */
export function printRow(figure) {
  const { name, atLeast, atMost, value, madeOf } = figure;
  const goal = atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`;
  print([name, goal, shown(value), madeOf, verdict(figure)]);
}
