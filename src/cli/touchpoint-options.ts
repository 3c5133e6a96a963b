import { AuthenticationMode, ChannelProof } from '../touchpoints/touchpoint.entity';
import type { TouchpointSettings } from '../touchpoints/touchpoints.service';
import { oneOf, OptionError } from './option-values';

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
