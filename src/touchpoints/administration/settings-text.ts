import { durationSeconds } from '../../platform/values/duration';
import { isPhoneCountry } from '../../platform/values/phone-number';
import { AuthenticationMode, ChannelProof } from '../touchpoint.entity';
import {
  RATE_LIMIT_HELP,
  SESSION_IDLE_HELP,
  SESSION_MAX_HELP,
  type SettingsText,
  SMS_COUNTRIES_HELP,
} from './settings-help';
import { TouchpointError } from './touchpoint.error';
import type { TouchpointSettings } from './touchpoints.service';

const MINUTE = 60;
const DAY = 86_400;

/** The settings of a touchpoint that is created without options. */
export const DEFAULT_SETTINGS: Omit<TouchpointSettings, 'name'> = {
  authenticationMode: AuthenticationMode.Password,
  channelProof: ChannelProof.None,
  rateLimit: null,
  smsCountries: [],
};

/** Only what was given. */
export function parseSettings(given: SettingsText): Partial<TouchpointSettings> {
  const { name, authMode, channelProof, rateLimit, smsCountries, sessionMax, sessionIdle } = given;
  return {
    ...(name !== undefined && { name }),
    ...(authMode !== undefined && {
      authenticationMode: oneOf('--auth-mode', Object.values(AuthenticationMode), authMode),
    }),
    ...(channelProof !== undefined && {
      channelProof: oneOf('--channel-proof', Object.values(ChannelProof), channelProof),
    }),
    ...(rateLimit !== undefined && { rateLimit: parseRateLimit(rateLimit) }),
    ...(smsCountries !== undefined && { smsCountries: parseSmsCountries(smsCountries) }),
    ...(sessionMax !== undefined && {
      sessionMaxSeconds: parseTerm('--session-max', sessionMax, 30 * MINUTE, SESSION_MAX_HELP),
    }),
    ...(sessionIdle !== undefined && {
      sessionIdleSeconds: parseTerm('--session-idle', sessionIdle, 5 * MINUTE, SESSION_IDLE_HELP),
    }),
  };
}

function oneOf<T extends string>(flag: string, values: T[], value: string): T {
  const known = values.find((candidate) => candidate === value);
  if (known === undefined) throw new TouchpointError(`${flag} must be one of ${values.join(', ')}`);
  return known;
}

function parseRateLimit(value: string): TouchpointSettings['rateLimit'] {
  if (value === 'default') return null;
  if (value === 'unlimited') return { limit: 0, seconds: 1 };
  const [, limit, seconds] = /^([1-9]\d{0,8})\/([1-9]\d{0,5})$/.exec(value) ?? [];
  if (limit === undefined || seconds === undefined)
    throw new TouchpointError(`--rate-limit must be ${RATE_LIMIT_HELP}`);
  return { limit: Number(limit), seconds: Number(seconds) };
}

/** An empty list for the default. */
function parseSmsCountries(value: string): string[] {
  if (value === 'default') return [];
  const countries = value.split(',').map((country) => country.trim().toUpperCase());
  const unknown = countries.find((country) => !isPhoneCountry(country));
  if (unknown === undefined) return [...new Set(countries)].sort();
  throw new TouchpointError(
    `--sms-countries must be ${SMS_COUNTRIES_HELP}: ${unknown} is not a country that has phone numbers`,
  );
}

/** Seconds, or null for `default`. */
function parseTerm(flag: string, value: string, least: number, help: string): number | null {
  if (value === 'default') return null;
  const seconds = durationSeconds(value);
  if (seconds === null) throw new TouchpointError(`${flag} must be a duration such as 90s, 30m, 24h or 7d`);
  if (seconds < least || seconds > 90 * DAY) throw new TouchpointError(`${flag} must be ${help}`);
  return seconds;
}
