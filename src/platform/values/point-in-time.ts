import { durationSeconds } from './duration';

const ISO_8601 = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** A day in UTC or a point in time (ISO 8601), or a duration back from now; null if it is none of them. */
export function pointInTime(value: string, now: Date): Date | null {
  const seconds = durationSeconds(value);
  if (seconds !== null) return new Date(now.getTime() - seconds * 1000);
  const time = ISO_8601.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(time) ? null : new Date(time);
}
