import { ApiError } from '../../../platform/errors/api-error';

/** The refusal of a valid token whose session has ended. */
export const sessionEnded = (): ApiError => invalidToken('the session has ended');

export const invalidToken = (reason: string): ApiError =>
  new ApiError('UNAUTHENTICATED', {
    headers: { 'WWW-Authenticate': 'Bearer realm="customer", error="invalid_token"' },
    refusal: { reason },
  });
