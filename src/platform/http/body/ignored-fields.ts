import type { Type } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';

/** Names the members of a body that have no effect. */
export const IGNORED_FIELDS = 'Ignored-Fields';

/** How many members are named, and how long a name may be in its escaped form. */
const MAX_NAMES = 10;
const MAX_LENGTH = 100;

/** The characters of a token (RFC 9110, section 5.6.2) except the percent sign, which begins an escape. */
const PLAIN = /^[!#$&'*+.^_`|~0-9A-Za-z-]$/;

export const IGNORED_FIELDS_PATTERN = `^[!#$%&'*+.^_\`|~0-9A-Za-z-]{1,${MAX_LENGTH}}(, [!#$%&'*+.^_\`|~0-9A-Za-z-]{1,${MAX_LENGTH}}){0,${MAX_NAMES - 1}}$`;

/** The fields of a body that the rules of `Body` know; all others are dropped. */
export const knownFields = (Body: Type): Set<string> =>
  new Set(
    getMetadataStorage()
      .getTargetValidationMetadatas(Body, '', false, false)
      .map(({ propertyName }) => propertyName),
  );

/** The value of the header: names of any length and characters, as a bounded list of tokens. */
export const ignoredFieldsValue = (names: string[]): string =>
  names
    .slice(0, MAX_NAMES)
    .map(escaped)
    .filter((name) => name !== '')
    .join(', ');

/** As much of the name as fits. */
function escaped(name: string): string {
  let result = '';
  for (const character of name) {
    const next = PLAIN.test(character) ? character : percentEncoded(character);
    if (result.length + next.length > MAX_LENGTH) break;
    result += next;
  }
  return result;
}

const percentEncoded = (character: string): string =>
  Array.from(Buffer.from(character), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
