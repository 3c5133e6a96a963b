import { isPhoneCountry } from '../../platform/values/phone-number';
import { AuthenticationMode, ChannelProof } from '../../touchpoints/touchpoint.entity';
import type { TouchpointSettings } from '../../touchpoints/administration/touchpoints.service';
import { oneOf, OptionError, parseDuration } from '../option-values';
import { printMessage } from '../output';
import {
  RATE_LIMIT_HELP,
  SESSION_IDLE_HELP,
  SESSION_MAX_HELP,
  type SettingsOptions,
  SMS_COUNTRIES_HELP,
} from './touchpoint-settings';

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
export function parseSettings(given: SettingsOptions): Partial<TouchpointSettings> {
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

/** Printed when the mode is chosen: consumers of such a touchpoint cannot log in again yet. */
export function warnOfReservedLogin(mode: AuthenticationMode): void {
  if (mode !== AuthenticationMode.OneTimeCode) return;
  printMessage(
    'Login by one-time code is reserved (501): consumers of this touchpoint cannot log in again once their session ends',
  );
}

function parseRateLimit(value: string): TouchpointSettings['rateLimit'] {
  if (value === 'default') return null;
  if (value === 'unlimited') return { limit: 0, seconds: 1 };
  const [, limit, seconds] = /^([1-9]\d{0,8})\/([1-9]\d{0,5})$/.exec(value) ?? [];
  if (limit === undefined || seconds === undefined) throw new OptionError(`--rate-limit must be ${RATE_LIMIT_HELP}`);
  return { limit: Number(limit), seconds: Number(seconds) };
}

/** An empty list for the default, because the command line takes no null. */
function parseSmsCountries(value: string): string[] {
  if (value === 'default') return [];
  const countries = value.split(',').map((country) => country.trim().toUpperCase());
  const unknown = countries.find((country) => !isPhoneCountry(country));
  if (unknown === undefined) return [...new Set(countries)].sort();
  throw new OptionError(`--sms-countries must be ${SMS_COUNTRIES_HELP}: ${unknown} is none that has phone numbers`);
}

/** Seconds, or null for `default`. */
function parseTerm(flag: string, value: string, least: number, help: string): number | null {
  if (value === 'default') return null;
  const seconds = parseDuration(flag, value);
  if (seconds < least || seconds > 90 * DAY) throw new OptionError(`${flag} must be ${help}`);
  return seconds;
}
