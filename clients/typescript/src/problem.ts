import type { components } from './schema.js';

type Problem = components['schemas']['Problem'];

/** The service's stable error codes; those of a newer service arrive as they are. */
export type ProblemCode = Problem['code'] | (string & {});

export type FieldProblem = NonNullable<Problem['errors']>[number];

/** An answer from status 400 up (RFC 9457): `code` is the contract, the texts are for people. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly status: number;
  /** Absent when the answer is not the service's, but of something before it. */
  readonly code: ProblemCode | undefined;
  readonly detail: string | undefined;
  /** What is wrong with which field, when the code is `VALIDATION_FAILED` or `IDENTIFIER_TAKEN`. */
  readonly errors: readonly FieldProblem[];
  /** Tell it to the service's operator: the audit trail explains the request by it. */
  readonly requestId: string | undefined;
  /** Seconds until the same request may succeed; absent where the answer names none. */
  readonly retryAfter: number | undefined;

  constructor({ status, headers }: Response, problem: Partial<Problem> = {}) {
    super(
      `${status} ${problem.code ?? 'without a problem'}${problem.detail === undefined ? '' : `: ${problem.detail}`}`,
    );
    this.status = status;
    this.code = problem.code;
    this.detail = problem.detail;
    this.errors = problem.errors ?? [];
    this.requestId = problem.requestId ?? headers.get('x-request-id') ?? undefined;
    this.retryAfter = retryAfterSeconds(headers);
  }
}

/** `Retry-After` in seconds; the service sends no dates. */
export function retryAfterSeconds(headers: Headers): number | undefined {
  const value = headers.get('retry-after');
  return value !== null && /^\d+$/.test(value) ? Number(value) : undefined;
}
