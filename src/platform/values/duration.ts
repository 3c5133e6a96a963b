const UNIT_SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Seconds of a duration such as `24h`, or null. */
export function durationSeconds(value: string): number | null {
  if (value === '0') return 0;
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(value) ?? [];
  return count === undefined || unit === undefined ? null : Number(count) * (UNIT_SECONDS[unit] ?? 0);
}

/** The seconds in the shortest form, such as `36h`. */
export function formatDuration(seconds: number): string {
  const units = Object.entries(UNIT_SECONDS).toReversed();
  const [unit, length] = units.find(([, size]) => seconds % size === 0) ?? ['s', 1];
  return `${seconds / length}${unit}`;
}
