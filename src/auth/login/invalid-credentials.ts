import { ApiError } from '../../platform/errors/api-error';

/** The one answer to whoever may not log in; only the audit trail has the reason. */
export const invalidCredentials = (reason: string, consumerId?: string): ApiError =>
  new ApiError('INVALID_CREDENTIALS', { refusal: { reason, ...(consumerId !== undefined && { consumerId }) } });

export const consumerDisabled = (consumerId: string): ApiError =>
  invalidCredentials('the consumer is disabled', consumerId);
