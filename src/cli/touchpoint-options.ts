import { AuthenticationMode, ChannelProof } from '../touchpoints/touchpoint.entity';
import type { TouchpointSettings } from '../touchpoints/touchpoints.service';

/** A wrong value on the command line. */
class OptionError extends Error {}

export const RATE_LIMIT_HELP = 'N/SECONDS, unlimited, or default for the limits of the service';

export const parseAuthenticationMode = (value: string): AuthenticationMode =>
  oneOf('--auth-mode', Object.values(AuthenticationMode), value);

export const parseChannelProof = (value: string): ChannelProof =>
  oneOf('--channel-proof', Object.values(ChannelProof), value);

export function parseRateLimit(value: string): TouchpointSettings['rateLimit'] {
  if (value === 'default') return null;
  if (value === 'unlimited') return { limit: 0, seconds: 1 };
  const [, limit, seconds] = /^([1-9]\d{0,8})\/([1-9]\d{0,5})$/.exec(value) ?? [];
  if (limit === undefined || seconds === undefined) throw new OptionError(`--rate-limit must be ${RATE_LIMIT_HELP}`);
  return { limit: Number(limit), seconds: Number(seconds) };
}

const UNIT_SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Seconds of a duration such as `24h`. */
export function parseDuration(value: string): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(value) ?? [];
  if (value === '0') return 0;
  if (count === undefined || unit === undefined)
    throw new OptionError('--overlap must be a duration such as 90s, 30m, 24h or 7d');
  return Number(count) * (UNIT_SECONDS[unit] ?? 0);
}

function oneOf<T extends string>(flag: string, values: T[], value: string): T {
  const known = values.find((candidate) => candidate === value);
  if (known === undefined) throw new OptionError(`${flag} must be one of ${values.join(', ')}`);
  return known;
}
