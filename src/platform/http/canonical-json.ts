import { configure } from 'safe-stable-stringify';

const stringify = configure({ circularValue: Error });

/** One text for all JSON texts of the same value: members sorted by name, no white space, numbers by value (as RFC 8785 does). */
export const canonicalJson = (value: unknown): string => String(stringify(value));
