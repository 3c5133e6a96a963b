import type { ErrorCode } from '../../platform/errors/error-catalog';
import { type CatalogEntry, ERROR_CATALOG } from '../../platform/errors/error-catalog';
import { IGNORED_FIELDS, IGNORED_FIELDS_PATTERN } from '../../platform/http/body/ignored-fields';

const text = (description: string, example: string) => ({
  description,
  schema: { type: 'string', examples: [example] },
});

/** The response headers that several operations share. */
export const HEADERS = {
  'X-Request-Id': {
    ...text('The id of this request, as in the log.', '0197a3c4-52d1-7cc0-8e0b-6c1f7a90b3de'),
    required: true,
  },
  'Cache-Control': {
    description: 'Not to be kept by any cache.',
    required: true,
    schema: { type: 'string', const: 'no-store' },
  },
  'RateLimit-Policy': text(
    'The caller’s limits (draft-ietf-httpapi-ratelimit-headers): `q` requests in `w` seconds. With every answer that comes after the credential, unless the caller is unlimited.',
    '"burst";q=100;w=1, "sustained";q=3000;w=60',
  ),
  RateLimit: text(
    'What is left: `r` requests for the next `t` seconds. Comes with `RateLimit-Policy`.',
    '"burst";r=99;t=1, "sustained";r=2940;t=42',
  ),
  [IGNORED_FIELDS]: {
    description:
      'Fields of the body that the operation does not know, misspelt ones among them, and has ignored: ten at most, each percent-encoded where it is no token, and cut at 100 characters.',
    schema: { type: 'string', pattern: IGNORED_FIELDS_PATTERN, examples: ['emial, customerId'] },
  },
  'Retry-After': {
    description: 'Seconds to wait before the request can succeed.',
    required: true,
    schema: { type: 'integer', minimum: 1, examples: [2] },
  },
  'WWW-Authenticate': {
    ...text(
      'Which credential is meant: `Touchpoint`, `Bearer` or `Subscriber`.',
      'Bearer realm="customer", error="invalid_token"',
    ),
    required: true,
  },
};

export type SharedHeader = keyof typeof HEADERS;

export const REQUEST_ID_PARAMETER = {
  name: 'X-Request-Id',
  in: 'header',
  required: false,
  description:
    'An id of your own for this request, 1 to 128 of `A-Za-z0-9._-`. It comes back in the answer and stands in the log; without one, or with another, the service makes one.',
  schema: { type: 'string' },
};

export const headerReferences = (names: SharedHeader[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Errors that end a request before the touchpoint's limits are checked. */
const BEFORE_LIMITS: ErrorCode[] = [
  'TOUCHPOINT_UNAUTHORIZED',
  'SUBSCRIBER_UNAUTHORIZED',
  'NOT_IMPLEMENTED',
  'REQUEST_TIMEOUT',
  'HEADERS_TOO_LARGE',
];

export const isAfterLimits = (code: ErrorCode): boolean => !BEFORE_LIMITS.includes(code);

/** Errors that end a request before its body has been read. */
const BEFORE_BODY: ErrorCode[] = [
  ...BEFORE_LIMITS,
  ...(['BAD_REQUEST', 'RATE_LIMITED', 'EXPECTATION_FAILED'] as const),
  ...(['LOGIN_METHOD_NOT_ALLOWED', 'PASSWORD_NOT_ALLOWED', 'IDENTIFY_NOT_ALLOWED'] as const),
  ...(['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'MALFORMED_JSON'] as const),
];

export const isAfterBody = (code: ErrorCode): boolean => !BEFORE_BODY.includes(code);

/**
 * The headers of an answer with one of these errors; `tellsLimits`: with what is left of the limits; `namesIgnored`:
 * with `Ignored-Fields`.
 */
export function problemHeaders(codes: ErrorCode[], tellsLimits: boolean, namesIgnored: boolean) {
  const entries: CatalogEntry[] = codes.map((code) => ERROR_CATALOG[code]);
  const names: SharedHeader[] = ['X-Request-Id', 'Cache-Control'];
  if (entries.some(({ status }) => status === 401)) names.push('WWW-Authenticate');
  if (tellsLimits) names.push('RateLimit-Policy', 'RateLimit');
  if (namesIgnored) names.push(IGNORED_FIELDS);
  const isRepeatable = ({ status, retryAfterSeconds }: CatalogEntry) =>
    status === 429 || retryAfterSeconds !== undefined;
  if (entries.every(isRepeatable)) names.push('Retry-After');
  return headerReferences(names);
}
