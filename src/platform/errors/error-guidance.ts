import { type CatalogEntry, ERROR_CATALOG, type ErrorCode } from './error-catalog';

/** What a client should do on a status. */
const ADVICE: Record<number, string> = {
  400: 'Fix the input.',
  401: 'Fix the credential.',
  403: 'This touchpoint may not do this; an administrator can change its settings.',
  404: 'Check the address.',
  405: 'Use one of the methods in the `Allow` header.',
  408: 'Send the request again, faster.',
  409: 'The present state forbids it: read it again and decide.',
  410: 'Start the flow again.',
  412: 'Read the resource again and repeat the change.',
  413: 'Send a smaller body: 16 KiB at most.',
  415: 'Send JSON in UTF-8 as `application/json`, without a content encoding.',
  417: 'Leave the `Expect` header out.',
  429: 'Wait as long as `Retry-After` says, then send the request again.',
  431: 'Send fewer or shorter headers: 16 KiB in all.',
  500: 'The request may have been done. Send it again later if it reads or carries an `Idempotency-Key`; else [read the state first](/docs/limits#when-a-request-may-have-been-done). If that does not help, tell us the `requestId`.',
  501: 'Do not call this route yet.',
  503: 'Wait as long as `Retry-After` says. Then send the request again if it reads or carries an `Idempotency-Key`. Any other may have been done: [read the state first](/docs/limits#when-a-request-may-have-been-done).',
};

/** Statuses after which the same request can succeed. */
const RETRYABLE = new Set([408, 429, 500, 503]);

/** Statuses that can be answered after the commit was sent to the database. */
const OUTCOME_UNKNOWN = new Set([500, 503]);

interface Note {
  meaning?: string;
  advice?: string;
}

/** What to say about a code beyond its title and the advice for its status. */
const NOTES: Partial<Record<ErrorCode, Note>> = {
  BAD_REQUEST: {
    meaning: 'The request could not be read: a header is malformed or missing, or the body did not arrive whole.',
  },
  MALFORMED_JSON: {
    meaning:
      'The body is empty, is not one JSON object in UTF-8, names a key twice, is nested deeper than 32 levels, or holds `\\u0000` or half of a surrogate pair.',
  },
  VALIDATION_FAILED: {
    meaning:
      'The body is a JSON object, and some of its fields, or a header, are not as they must be. `errors` names all of them at once.',
    advice:
      'Show each entry of `errors` beside its `field`. Its `code` and `params` are for programs, its `message` is for people.',
  },
  CODE_INVALID: {
    meaning: 'These are not the digits that were sent last, or for this recovery. Five wrong codes are judged.',
    advice:
      'Let the consumer type the code again, or send a new one. That ends the one before, except those for a new password.',
  },
  CURRENT_PASSWORD_INVALID: {
    meaning: 'The password was not changed. It counts as a failed login.',
    advice: 'Let the consumer type the current password again.',
  },
  ASSERTION_INVALID: {
    meaning:
      'The issuer is not one that this touchpoint trusts, or the audience, the signature, the age or a claim of the assertion is not right.',
    advice:
      'Get a new assertion from the identity provider: it must name us as its audience and be at most ten minutes old.',
  },
  TOUCHPOINT_UNAUTHORIZED: {
    meaning: 'The answer never says which of the three it is, and nothing else of the request has been looked at.',
    advice:
      'Send `X-Touchpoint-Code` and `X-Touchpoint-Key`, each once. If they are right, ask an administrator whether the touchpoint is enabled and its key has been rotated.',
  },
  SUBSCRIBER_UNAUTHORIZED: {
    meaning: 'The answer never says which of the three it is, and nothing else of the request has been looked at.',
    advice:
      'Send `X-Subscriber-Code` and `X-Subscriber-Key`, each once. If they are right, ask an administrator whether the subscriber is enabled and its key has been rotated.',
  },
  UNAUTHENTICATED: {
    meaning:
      'There is no token, or it is not one of ours, or its session has ended by time, by logout, or by a change or recovery of the password.',
    advice: 'Log the consumer in again.',
  },
  INVALID_CREDENTIALS: {
    meaning:
      'The answer never says which of the two it is, whether there is such a consumer, or whether the consumer is disabled. With an `Idempotency-Key`: the request was done before, and its session is not opened again, because the password has changed since or the consumer is disabled or gone.',
    advice:
      'Let the consumer try again, or [recover the account](/docs/guides/forgot-password). After ten failures within 15 minutes: [LOGIN_THROTTLED](/docs/errors/LOGIN_THROTTLED).',
  },
  LOGIN_METHOD_NOT_ALLOWED: {
    meaning: 'The touchpoint is in OTP mode: its consumers have no password to log in with.',
  },
  PASSWORD_NOT_ALLOWED: { meaning: 'The touchpoint is in OTP mode: there is no password to change or to recover.' },
  IDENTIFY_NOT_ALLOWED: { meaning: 'No identity provider has been named for this touchpoint.' },
  SESSION_EXTENSION_NOT_ALLOWED: {
    meaning: 'An administrator has set no `--session-max` for this touchpoint.',
    advice: 'Let the consumer log in again when the token has expired, or ask an administrator to allow extensions.',
  },
  CONSUMER_READ_NOT_ALLOWED: {
    meaning: 'The subscriber was created without `--read-consumers`.',
    advice: 'Use what the events tell, or ask an administrator for a subscriber that may read consumers.',
  },
  NOT_FOUND: { advice: 'Compare the address with [the documentation](/docs): case and trailing slashes count.' },
  COUNTRY_NOT_FOUND: { advice: 'Use a `code` of `GET /api/v1/reference/countries`.' },
  CHANNEL_NOT_SUPPORTED: { advice: 'Use `email` or `sms`.' },
  REQUEST_TIMEOUT: { meaning: 'Its headers take longer than 10 seconds, or all of it longer than 30.' },
  IDENTIFIER_TAKEN: {
    meaning: 'Another consumer has this e-mail address or phone number.',
    advice: 'Offer the consumer to log in, or to use another address.',
  },
  LAST_IDENTIFIER: {
    meaning: 'Without it the consumer could not be reached or log in any more.',
    advice: 'Let the consumer verify another address first.',
  },
  ALREADY_VERIFIED: { advice: 'Nothing is left to do.' },
  CHANNEL_NOT_SET: { advice: 'Set `email` or `phone` with `PATCH /api/v1/me` first.' },
  PASSWORD_NOT_SET: {
    meaning: 'The consumer was registered without a password, so there is none to change.',
    advice: 'Do not offer this consumer to change it.',
  },
  ASSERTION_REPLAYED: {
    meaning: 'Each assertion works once.',
    advice: 'Get a new assertion from the identity provider.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    meaning: 'Within 24 hours the same `Idempotency-Key` came with another body.',
    advice: 'Use a new key for every new request, and the same one only to repeat a request.',
  },
  REQUEST_IN_PROGRESS: {
    meaning: 'A request with the same `Idempotency-Key` has not ended yet.',
    advice: 'Wait as long as `Retry-After` says, then send the request again with the same key.',
  },
  CODE_EXPIRED: {
    meaning:
      'The code is older than ten minutes, has been used, was ended by a newer one or by a change of the address, or never was.',
    advice: 'Ask for a new code, or begin the registration or the recovery again.',
  },
  CODE_ATTEMPTS_EXCEEDED: { advice: 'Ask for a new code, or begin the registration or the recovery again.' },
  CURSOR_EXPIRED: {
    meaning: 'Events are kept for a number of days, and what comes behind your position is older.',
    advice:
      'Read the consumers that you know anew with `GET /integration/v1/consumers/{customerId}`, then go on after the position that `detail` names.',
  },
  PRECONDITION_FAILED: {
    meaning: 'Its `ETag` is none of those in `If-Match`, so nothing was changed.',
    advice: 'Read the profile again, apply the change to it, and send it with the new `ETag`.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    advice:
      'Send JSON in UTF-8 as `application/json`, without a content encoding; a `PATCH` may also be `application/merge-patch+json`.',
  },
  RATE_LIMITED: {
    advice:
      'Wait as long as `Retry-After` says, then send the request again. `RateLimit` tells with every answer what is left; an administrator can change the limit.',
  },
  LOGIN_THROTTLED: {
    meaning:
      'Ten have failed for this identifier, or a hundred from this address at this touchpoint, within 15 minutes; or more logins of this identifier are under way at once than can wait; or thirty codes for a new password from this address were wrong within an hour. The password or code was not looked at.',
    advice:
      'Let the consumer wait as long as `Retry-After` says. Pass the consumer’s IP address on in `X-Consumer-IP`: at an address that logged in before, strangers’ guesses do not count.',
  },
  RESEND_TOO_SOON: {
    meaning:
      'An address is sent to once a minute and five times an hour at most, an e-mail address counting without its `+tag`. Messages are also bounded for a consumer, for the address in `X-Consumer-IP`, for a touchpoint and for a country’s numbers, and SMS by a daily allowance of the touchpoint.',
    advice: 'Wait as long as `Retry-After` says, and offer the consumer to wait for the message that is on its way.',
  },
  INTERNAL: { meaning: 'It is a fault of the service. The log has its cause under the `requestId`.' },
  NOT_IMPLEMENTED: {
    meaning:
      'It is part of the API’s shape and always answers so, whatever is sent. It will keep the shape that [the documentation](/docs) shows.',
  },
  SERVICE_UNAVAILABLE: {
    meaning:
      'It is overloaded, about to stop, or its database does not answer. When the database is lost in the midst of a request, nobody can tell whether it was done.',
  },
};

export interface Guidance {
  status: number;
  title: string;
  meaning: string;
  advice: string;
  /** Whether the same request can succeed when it is sent again. */
  retryHelps: boolean;
  /** Whether the request may have been done nevertheless. */
  isOutcomeUnknown: boolean;
}

/** The trail may hold codes of another version. */
export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(ERROR_CATALOG, code);

/** What a partner's developer must know about a code. */
export function guidanceOn(code: ErrorCode): Guidance {
  const { status, title, retryAfterSeconds }: CatalogEntry = ERROR_CATALOG[code];
  const { meaning = '', advice = ADVICE[status] ?? '' }: Note = NOTES[code] ?? {};
  return {
    status,
    title,
    meaning,
    advice,
    retryHelps: RETRYABLE.has(status) || retryAfterSeconds !== undefined,
    isOutcomeUnknown: OUTCOME_UNKNOWN.has(status),
  };
}
