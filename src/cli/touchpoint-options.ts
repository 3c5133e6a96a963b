import { AuthenticationMode, ChannelProof } from '../touchpoints/touchpoint.entity';
import type { TouchpointSettings } from '../touchpoints/touchpoints.service';
import { isPhoneCountry } from '../auth/phone-number';
import { oneOf, OptionError } from './option-values';
import { printMessage } from './output';

export const RATE_LIMIT_HELP = 'N/SECONDS, unlimited, or default for the limits of the service';

/** Told when the mode is chosen: a consumer of such a touchpoint has no way yet to open another session. */
export function warnOfReservedLogin(mode: AuthenticationMode | undefined): void {
  if (mode !== AuthenticationMode.OneTimeCode) return;
  printMessage(
    'Login by one-time code is reserved (501): consumers of this touchpoint cannot log in again once their session ends',
  );
}

export const SMS_COUNTRIES_HELP = 'countries such as NO,SE (ISO 3166-1 alpha-2), or default for all';

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

/** None for the default: the command line takes no null. */
export function parseSmsCountries(value: string): string[] {
  if (value === 'default') return [];
  const countries = value.split(',').map((country) => country.trim().toUpperCase());
  const unknown = countries.find((country) => !isPhoneCountry(country));
  if (unknown === undefined) return [...new Set(countries)].sort();
  throw new OptionError(`--sms-countries must be ${SMS_COUNTRIES_HELP}: ${unknown} is none that has phone numbers`);
}
