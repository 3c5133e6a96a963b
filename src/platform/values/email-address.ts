import { domainToASCII, domainToUnicode } from 'node:url';

/** The longest address that SMTP can carry (RFC 5321 section 4.5.3.1.3, less its angle brackets). */
export const MAX_EMAIL_LENGTH = 254;

/** A dot-atom (RFC 5322 section 3.2.3) of at most 64 characters. */
const LOCAL_PART = /^(?=.{1,64}$)[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;

/** At least two labels of letters, digits and inner hyphens (RFC 1123 section 2.1), the last of which is not a number. */
const HOST_NAME = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Letters, marks and digits of any script; no symbols, nothing invisible, and no dotless i, which is read as an i. */
const DOMAIN_IN_ANY_SCRIPT = /^(?:(?!ı)[\p{L}\p{M}\p{Nd}.-])+$/u;

/** Alphabets that share letter shapes with Latin. */
const LATIN_LOOK_ALIKE = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u;

/**
 * The spelling in which an e-mail address is stored and compared: lower-case ASCII; null if we do not accept it.
 * Nothing is trimmed, and only capital letters are changed.
 */
export function canonicalEmail(input: string): string | null {
  if (input.length > MAX_EMAIL_LENGTH) return null;
  const at = input.lastIndexOf('@');
  const local = asciiLowerCase(input.slice(0, Math.max(at, 0)));
  const domain = asciiDomain(input.slice(at + 1));
  if (domain === null || !LOCAL_PART.test(local)) return null;
  const address = `${local}@${domain}`;
  return address.length > MAX_EMAIL_LENGTH ? null : address;
}

/** The domain's ASCII form (UTS 46), if the domain is already in its mapped form and so cannot be mistaken for another. */
function asciiDomain(domain: string): string | null {
  const lower = domain.toLowerCase();
  // Some characters, such as the Kelvin sign, become another capital when they are lowered and raised again.
  if (lower.toUpperCase() !== domain.toUpperCase()) return null;
  if (!DOMAIN_IN_ANY_SCRIPT.test(lower)) return null;

  const ascii = domainToASCII(lower);
  const unicode = domainToUnicode(ascii);
  if (lower !== ascii && lower !== unicode) return null;
  // Punycode can spell what the mapping would never produce.
  if (domainToASCII(unicode) !== ascii || !DOMAIN_IN_ANY_SCRIPT.test(unicode)) return null;
  if (unicode.split('.').some((label) => /\p{Script=Latin}/u.test(label) && LATIN_LOOK_ALIKE.test(label))) return null;
  return HOST_NAME.test(ascii) ? ascii : null;
}

/** `toLowerCase` alone would turn the Kelvin sign into a k. */
const asciiLowerCase = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
