export interface CatalogEntry {
  status: number;
  title: string;
  /** Sent as `WWW-Authenticate` (RFC 9110, section 11.6.1). */
  challenge?: string;
  /**
   * Sent as `Retry-After`, in seconds, if the error itself sets no other value: one from the least to the most, so that
   * clients who were refused together do not return together.
   */
  retryAfterSeconds?: readonly [least: number, most: number];
}

const TOUCHPOINT = 'Touchpoint realm="api"';
const SUBSCRIBER = 'Subscriber realm="integration"';
const BEARER = 'Bearer realm="customer"';

/** Every error a client can receive: its code, its one HTTP status, its wording. Published codes never change. */
export const ERROR_CATALOG = {
  BAD_REQUEST: { status: 400, title: 'The request is not valid HTTP.' },
  MALFORMED_JSON: { status: 400, title: 'The body is not valid JSON.' },
  VALIDATION_FAILED: { status: 400, title: 'The request is not valid.' },
  CODE_INVALID: { status: 400, title: 'The code is not right.' },
  CURRENT_PASSWORD_INVALID: { status: 400, title: 'The current password is not right.' },
  ASSERTION_INVALID: { status: 400, title: 'The assertion is not valid here.' },
  TOUCHPOINT_UNAUTHORIZED: {
    status: 401,
    title: 'The touchpoint credential is missing, wrong or disabled.',
    challenge: TOUCHPOINT,
  },
  UNAUTHENTICATED: { status: 401, title: 'The customer token is missing, invalid or expired.', challenge: BEARER },
  INVALID_CREDENTIALS: { status: 401, title: 'The identifier or the password is wrong.', challenge: BEARER },
  SUBSCRIBER_UNAUTHORIZED: {
    status: 401,
    title: 'The subscriber credential is missing, wrong or disabled.',
    challenge: SUBSCRIBER,
  },
  LOGIN_METHOD_NOT_ALLOWED: { status: 403, title: 'This touchpoint does not log consumers in with a password.' },
  PASSWORD_NOT_ALLOWED: { status: 403, title: 'This touchpoint does not use passwords.' },
  IDENTIFY_NOT_ALLOWED: { status: 403, title: 'This touchpoint trusts no identity provider.' },
  SESSION_EXTENSION_NOT_ALLOWED: { status: 403, title: 'Sessions cannot be extended at this touchpoint.' },
  CONSUMER_READ_NOT_ALLOWED: { status: 403, title: 'This subscriber may not read consumers.' },
  NOT_FOUND: { status: 404, title: 'There is nothing at this address.' },
  COUNTRY_NOT_FOUND: { status: 404, title: 'No country has this code.' },
  CHANNEL_NOT_SUPPORTED: { status: 404, title: 'There is no such channel.' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'This address does not take this method.' },
  REQUEST_TIMEOUT: { status: 408, title: 'The request did not arrive in time.' },
  IDENTIFIER_TAKEN: { status: 409, title: 'The identifier is already registered.' },
  LAST_IDENTIFIER: { status: 409, title: 'The last verified identifier cannot be removed.' },
  ALREADY_VERIFIED: { status: 409, title: 'The address has been verified already.' },
  CHANNEL_NOT_SET: { status: 409, title: 'The consumer has no address of this kind.' },
  PASSWORD_NOT_SET: { status: 409, title: 'This consumer has no password.' },
  ASSERTION_REPLAYED: { status: 409, title: 'The assertion has been used already.' },
  IDEMPOTENCY_KEY_REUSED: { status: 409, title: 'The idempotency key was used for another request.' },
  REQUEST_IN_PROGRESS: {
    status: 409,
    title: 'The first request with this key is under way.',
    retryAfterSeconds: [1, 1],
  },
  CODE_EXPIRED: { status: 410, title: 'The code does not work any more.' },
  CODE_ATTEMPTS_EXCEEDED: { status: 410, title: 'There were too many wrong codes.' },
  CURSOR_EXPIRED: { status: 410, title: 'The events behind this position are not kept any more.' },
  PRECONDITION_FAILED: { status: 412, title: 'The profile has changed since it was read.' },
  PAYLOAD_TOO_LARGE: { status: 413, title: 'The body is too large.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'The body has a type or an encoding that is not accepted.' },
  EXPECTATION_FAILED: { status: 417, title: 'The expectation cannot be met.' },
  RATE_LIMITED: { status: 429, title: 'Too many requests were sent with this credential.' },
  LOGIN_THROTTLED: { status: 429, title: 'There were too many attempts to log in.' },
  RESEND_TOO_SOON: { status: 429, title: 'Too many messages were asked for; another one has to wait.' },
  HEADERS_TOO_LARGE: { status: 431, title: 'The headers are too large.' },
  INTERNAL: { status: 500, title: 'Something went wrong here.' },
  NOT_IMPLEMENTED: { status: 501, title: 'This route is reserved.' },
  SERVICE_UNAVAILABLE: { status: 503, title: 'The service cannot answer right now.', retryAfterSeconds: [1, 3] },
} as const satisfies Record<string, CatalogEntry>;

export type ErrorCode = keyof typeof ERROR_CATALOG;

/** What can be wrong with one field of a request; the code is the contract, and here is what it tells a client. */
export const FIELD_ERRORS = {
  REQUIRED: 'It is missing or null, and has to be there.',
  FORBIDDEN: 'It must not be sent here, such as a password at a touchpoint in OTP mode, or one beside an assertion.',
  INVALID_TYPE: 'It has another JSON type than it has to have. Nothing is coerced.',
  INVALID_FORMAT: 'It is not written as it has to be, such as a date without its day, or a header that comes twice.',
  INVALID_VALUE:
    'It is written well, but is not a value that is accepted, such as an unknown country, a birth date in the future, or a password that is the consumer’s own name.',
  TOO_SHORT: 'It has fewer characters than `params.min`.',
  TOO_LONG: 'It has more characters or entries than `params.max`, or takes more bytes than `params.maxBytes`.',
  TOO_COMMON: 'The password is one of the most common ones, which attackers try first.',
  IN_USE: 'Another consumer has this address. It comes with `IDENTIFIER_TAKEN`.',
} as const;

export type FieldErrorCode = keyof typeof FIELD_ERRORS;

export const FIELD_ERROR_CODES = Object.keys(FIELD_ERRORS) as FieldErrorCode[];
