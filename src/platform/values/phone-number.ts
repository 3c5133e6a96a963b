import { isSupportedCountry, parsePhoneNumberFromString, type PhoneNumberType } from 'libphonenumber-js/max';

/** What a person has; an unassigned number is of no type. Calls to all others are dear, or reach nobody in particular. */
const PERSONAL: (PhoneNumberType | undefined)[] = ['MOBILE', 'FIXED_LINE', 'FIXED_LINE_OR_MOBILE', 'VOIP', undefined];

/**
 * The one spelling by which a phone number is stored and compared, E.164 such as `+12025550123`; null when it is none.
 * Its country calling code and its length must exist; whether the number is assigned is not asked, so that fictional ones pass.
 */
export function canonicalPhone(input: string): string | null {
  const number = input.replace(/[ ()-]/g, '');
  // The library also reads other digits, letters, extensions and `tel:` addresses: it sees only what is already E.164.
  if (!/^\+[1-9]\d{1,14}$/.test(number)) return null;
  const parsed = parsePhoneNumberFromString(number);
  // What it would correct, such as the trunk zero of +44 (0)20…, is refused: a guess could be somebody else's number.
  return parsed?.number === number && parsed.isPossible() ? number : null;
}

/** Whether a canonical number may be a person's: none of premium rate, shared cost, a satellite network or a service. */
export function isPersonalPhone(number: string): boolean {
  const parsed = parsePhoneNumberFromString(number);
  // Calling codes without a country are satellites (+870, +881), other networks (+882, +883) and services (+800, +979).
  return parsed !== undefined && !parsed.isNonGeographic() && PERSONAL.includes(parsed.getType());
}

/** The ISO 3166-1 alpha-2 code of the country that a canonical number is of; null where it is of none. */
export function countryOfPhone(number: string): string | null {
  const parsed = parsePhoneNumberFromString(number);
  // Of countries that share a calling code only assigned numbers tell which it is; others count as the first one's.
  return parsed?.country ?? parsed?.getPossibleCountries()[0] ?? null;
}

/** Whether countries' phone numbers know this code. */
export const isPhoneCountry = (country: string): boolean => isSupportedCountry(country);

export const callingCodeOf = (number: string): string =>
  parsePhoneNumberFromString(number)?.countryCallingCode ?? 'unknown';
