import { ApiError, type FieldError, validationFailed } from './api-error';
import type { ErrorCode } from './error-catalog';
import { type Problem, problemOf } from './problem';

const REQUEST_ID = '0197a3c4-52d1-7cc0-8e0b-6c1f7a90b3de';

const VIOLATIONS: FieldError[] = [
  { field: 'password', code: 'TOO_SHORT', message: 'must have at least 8 characters', params: { min: 8 } },
  { field: 'address.country', code: 'INVALID_VALUE', message: 'must be an ISO 3166-1 alpha-2 code' },
];

const TAKEN: FieldError[] = [{ field: 'email', code: 'IN_USE', message: 'belongs to another consumer' }];

/** An error as documentation shows it. */
export const problemExample = (code: ErrorCode, violations = VIOLATIONS): Problem =>
  problemOf(errorExample(code, violations), REQUEST_ID);

function errorExample(code: ErrorCode, violations: FieldError[]): ApiError {
  if (code === 'VALIDATION_FAILED') return validationFailed(violations);
  return new ApiError(code, code === 'IDENTIFIER_TAKEN' ? { errors: TAKEN } : {});
}
