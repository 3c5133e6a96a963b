import { randomBetween } from '../random';
import { type CatalogEntry, ERROR_CATALOG, type ErrorCode, type FieldErrorCode } from './error-catalog';

/** One violation of a request: its field, its code and the limits that were broken. */
export interface FieldError {
  /** The field's path in the body (`address.country`), or a header's name. */
  field: string;
  code: FieldErrorCode;
  message: string;
  params?: Record<string, string | number>;
}

/** What the audit trail and the log keep of a refusal; the client never sees it. */
export interface RefusalDetails {
  /** Which of the possible causes it was, in a few fixed words. */
  reason?: string;
  /** The code of the touchpoint whose credential was not accepted. */
  touchpoint?: string;
  /** The same, but there may be no such touchpoint. */
  claimedTouchpoint?: string;
  /** The code of the subscriber whose credential was not accepted. */
  subscriber?: string;
  /** Whom it concerns. */
  consumerId?: string;
}

export interface ApiErrorOptions {
  /** One sentence about this occurrence, for people. */
  detail?: string;
  errors?: FieldError[];
  headers?: Record<string, string>;
  /** Seconds until a retry can succeed, sent as `Retry-After`. */
  retryAfterSeconds?: number;
  refusal?: RefusalDetails;
  cause?: unknown;
}

/** A refusal that the client sees as a problem (RFC 9457); the catalogue gives its status. */
export class ApiError extends Error {
  readonly status: number;
  readonly detail: string | undefined;
  readonly errors: FieldError[] | undefined;
  readonly headers: Record<string, string>;
  readonly refusal: RefusalDetails;

  constructor(
    readonly code: ErrorCode,
    { detail, errors, headers = {}, retryAfterSeconds, refusal = {}, cause }: ApiErrorOptions = {},
  ) {
    super(ERROR_CATALOG[code].title, { cause });
    this.status = ERROR_CATALOG[code].status;
    this.detail = detail;
    this.errors = errors;
    this.refusal = refusal;
    const entry: CatalogEntry = ERROR_CATALOG[code];
    const retryAfter = retryAfterSeconds ?? (entry.retryAfterSeconds && randomBetween(...entry.retryAfterSeconds));
    this.headers = {
      ...(entry.challenge !== undefined && { 'WWW-Authenticate': entry.challenge }),
      ...(retryAfter !== undefined && { 'Retry-After': String(Math.max(1, Math.ceil(retryAfter))) }),
      ...headers,
    };
  }
}

/** All violations of a request at once. */
export function validationFailed(errors: FieldError[]): ApiError {
  const detail = errors.length === 1 ? '1 field is not valid.' : `${errors.length} fields are not valid.`;
  return new ApiError('VALIDATION_FAILED', { detail, errors });
}
