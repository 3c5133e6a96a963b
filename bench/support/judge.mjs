import { median, round } from './statistics.mjs';

const REPETITIONS = 3;

/**
 * A figure with its goal; `table` shows what it was made of.
 *
 * @typedef {{ name: string, value: number, atLeast?: number, atMost?: number }} Figure
 * @typedef {{ table: Record<string, object>, figures: Figure[] }} Measurement
 */

/** @param {Figure} figure */
export const holds = ({ value, atLeast = -Infinity, atMost = Infinity }) => value >= atLeast && value <= atMost;

/**
 * Measures once; where a goal does not hold twice more, since the machine may have been busy, and the medians are judged.
 *
 * @param {() => Measurement | Promise<Measurement>} measure
 * @returns {Promise<Measurement>}
 */
export async function judged(measure) {
  const first = await measured(measure);
  if (first.figures.every(holds)) return first;
  const all = [first];
  while (all.length < REPETITIONS) all.push(await measured(measure));
  const figures = first.figures.map((figure, index) => ({
    ...figure,
    value: median(all.map((one) => one.figures[index]?.value ?? NaN)),
  }));
  return { table: all.at(-1)?.table ?? {}, figures };
}

/** @param {() => Measurement | Promise<Measurement>} measure */
async function measured(measure) {
  const measurement = await measure();
  const { table, figures } = measurement;
  console.table(rounded(table));
  for (const figure of figures) console.log(line(figure));
  return measurement;
}

/** @param {Figure} figure */
export function line(figure) {
  const { name, value, atLeast, atMost } = figure;
  const goals = [atLeast !== undefined && `at least ${atLeast}`, atMost !== undefined && `at most ${atMost}`];
  const goal = goals.filter(Boolean).join(', ');
  return `${holds(figure) ? 'holds' : 'MISSED'}  ${name}: ${round(value)}${goal && ` (goal: ${goal})`}`;
}

/** @param {Record<string, object>} table
 * @returns {Record<string, object>} */
const rounded = (table) =>
  Object.fromEntries(
    Object.entries(table).map(([name, row]) => [
      name,
      Object.fromEntries(
        Object.entries(row).map(([key, value]) => [key, typeof value === 'number' ? round(value) : value]),
      ),
    ]),
  );
