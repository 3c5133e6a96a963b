/** @param {number[]} times in milliseconds */
export function percentiles(times) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (/** @type {number} */ share) =>
    round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN);
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}

export const round = (/** @type {number} */ value) => Math.round(value * 10) / 10;
