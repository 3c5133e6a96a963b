/** @param {number[]} values */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? NaN) + (sorted[Math.floor(middle)] ?? NaN)) / 2;
}

/** @param {number[]} values */
export const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** @param {number[]} times in milliseconds */
export function percentiles(times) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (/** @type {number} */ share) =>
    round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN);
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}

/** To three significant digits, or to whole numbers above a thousand. */
export const round = (/** @type {number} */ value) =>
  Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(3));
