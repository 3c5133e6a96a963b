/**
 * Canonical base64url: the unused bits of the last character are zero (RFC 4648, section 3.5). Decoders ignore them, so
 * the same bytes would have up to sixteen spellings.
 */
const SEGMENT = '(?=[^.])(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-][AQgw]|[A-Za-z0-9_-]{2}[AEIMQUYcgkosw048])?';

const COMPACT_TOKEN = new RegExp(`^${SEGMENT}\\.${SEGMENT}\\.${SEGMENT}$`);

/** Whether this can be a signed token in compact form (RFC 7515, section 7.1). */
export const isCompactToken = (text: string): boolean => COMPACT_TOKEN.test(text);
