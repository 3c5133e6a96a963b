import { parsePhoneNumberFromString } from 'libphonenumber-js/min';

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
