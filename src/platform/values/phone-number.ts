import { isSupportedCountry, parsePhoneNumberFromString, type PhoneNumberType } from 'libphonenumber-js/max';

/**
 * Types of numbers that a person can have; an unassigned number has no type. Calls to other types are expensive or
 * reach no one person.
 */
const PERSONAL: (PhoneNumberType | undefined)[] = ['MOBILE', 'FIXED_LINE', 'FIXED_LINE_OR_MOBILE', 'VOIP', undefined];

/**
 * The spelling in which a phone number is stored and compared, E.164 such as `+12025550123`; null if it is none. Its
 * calling code and length must exist; it need not be assigned, so that fictional numbers pass.
 */
export function canonicalPhone(input: string): string | null {
  const number = input.replace(/[ ()-]/g, '');
  // The library also reads other digits, letters, extensions and `tel:` addresses: it sees only what is already E.164.
  if (!/^\+[1-9]\d{1,14}$/.test(number)) return null;
  const parsed = parsePhoneNumberFromString(number);
  // Numbers that it would correct, such as the trunk zero of +44 (0)20…, are refused: a guess could be somebody else's
  // number.
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
  // If countries share a calling code, only an assigned number shows its country; others count as the first country's.
  return parsed?.country ?? parsed?.getPossibleCountries()[0] ?? null;
}

/** Whether countries' phone numbers know this code. */
export const isPhoneCountry = (country: string): boolean => isSupportedCountry(country);

export const callingCodeOf = (number: string): string =>
  parsePhoneNumberFromString(number)?.countryCallingCode ?? 'unknown';
