/**
 * Base64url in its one spelling: the bits that are left over in the last character are zero (RFC 4648, section 3.5).
 * Decoders ignore them, so that the same bytes could be spelt in up to sixteen ways.
 */
const SEGMENT = '(?=[^.])(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-][AQgw]|[A-Za-z0-9_-]{2}[AEIMQUYcgkosw048])?';

const COMPACT_TOKEN = new RegExp(`^${SEGMENT}\\.${SEGMENT}\\.${SEGMENT}$`);

/** Whether this can be a signed token in compact form (RFC 7515, section 7.1). */
export const isCompactToken = (text: string): boolean => COMPACT_TOKEN.test(text);
