import { Clock } from '../platform/clock';
import { durationSeconds } from '../platform/values/duration';
import { pointInTime } from '../platform/values/point-in-time';

/** A wrong value on the command line. */
export class OptionError extends Error {}

/** Seconds of a duration such as `24h`. */
export function parseDuration(flag: string, value: string): number {
  const seconds = durationSeconds(value);
  if (seconds === null) throw new OptionError(`${flag} must be a duration such as 90s, 30m, 24h or 7d`);
  return seconds;
}

/** A day in UTC or a point in time (ISO 8601), or a duration back from now. */
export function parseTime(flag: string, value: string, clock = new Clock()): Date {
  const time = pointInTime(value, clock.now());
  if (time === null) throw new OptionError(`${flag} must be a time such as 2026-01-31T12:00:00Z, or 24h`);
  return time;
}

const MAX_REASON_LENGTH = 500;

/** What an administrator writes for the audit trail. */
export function parseReason(value: string): string {
  const reason = value.trim();
  if (reason !== '' && reason.length <= MAX_REASON_LENGTH) return reason;
  throw new OptionError(`--reason must say why, in at most ${MAX_REASON_LENGTH} characters`);
}
