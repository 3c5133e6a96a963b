import type { FieldError } from '../../platform/errors/api-error';
import type { TouchpointRequest } from '../../touchpoints/touchpoint-request';

export type IdempotentOperation = 'register' | 'register/complete' | 'identify';

/** A request's hold on its `Idempotency-Key`. */
export interface Lease {
  /** Null: the request has no key, or one that is not valid. */
  id: string | null;
  /** What is wrong with the key, to be told together with what is wrong with the body. */
  violations: FieldError[];
}

export interface LeasedRequest extends TouchpointRequest {
  lease: Lease;
}

/** Whether what was granted once would still be granted. */
export interface ReplayRule {
  /** Throws when it would not. */
  requireStillGranted(request: TouchpointRequest): void;
}

/** What `Idempotent` says of a route. */
export const IDEMPOTENT = 'idempotent';
