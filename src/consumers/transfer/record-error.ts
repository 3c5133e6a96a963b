import type { FieldError } from '../../platform/errors/api-error';
import type { ErrorCode, FieldErrorCode } from '../../platform/errors/error-catalog';

/** What is wrong with a record, or with the record as a whole, whose field has no name. */
export type RecordError = Omit<FieldError, 'code'> & { code: FieldErrorCode | Extract<ErrorCode, 'MALFORMED_JSON'> };

/** An error of a whole record. */
export const wholeError = (code: RecordError['code'], message: string): RecordError => ({ field: '', code, message });

/** The error of a record that takes more than so many bytes. */
export const tooLong = (what: string, maxBytes: number): RecordError => ({
  ...wholeError('TOO_LONG', `the ${what} must take at most ${maxBytes} bytes`),
  params: { maxBytes },
});
