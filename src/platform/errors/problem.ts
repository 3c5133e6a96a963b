import { ApiError, type FieldError } from './api-error';
import { ERROR_CATALOG } from './error-catalog';

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** The one shape of every answer from status 400 up (RFC 9457). */
export interface Problem {
  type: string;
  title: string;
  status: number;
  code: string;
  detail?: string;
  requestId: string;
  errors?: FieldError[];
}

export function problemOf(error: ApiError, requestId: string): Problem {
  const { code, status, detail, errors } = error;
  return {
    type: `/docs/errors/${code}`,
    title: ERROR_CATALOG[code].title,
    status,
    code,
    ...(detail !== undefined && { detail }),
    requestId,
    ...(errors && { errors }),
  };
}
