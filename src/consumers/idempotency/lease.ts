import type { FieldError } from '../../platform/errors/api-error';
import type { TouchpointRequest } from '../../touchpoints/touchpoint-request';

export type IdempotentOperation = 'register' | 'register/complete' | 'identify' | 'password/forgot' | 'password/reset';

/** A request's hold on its `Idempotency-Key`. */
export interface Lease {
  /** Null: the request has no key, or one that is not valid. */
  id: string | null;
  /** The violations of the key, reported together with those of the body. */
  violations: FieldError[];
}

export interface LeasedRequest extends TouchpointRequest {
  lease: Lease;
}

/** Whether an earlier outcome would still be granted. */
export interface ReplayRule {
  /** Throws when it would not. */
  requireStillGranted(request: TouchpointRequest): void;
}

/** What `Idempotent` says about a route. */
export const IDEMPOTENT = 'idempotent';
