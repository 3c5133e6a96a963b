import type { components } from './schema.js';

type Problem = components['schemas']['Problem'];

/** The error codes that the service has published. They never change; new ones may come. */
export type PublishedCode = components['schemas']['ErrorCode'];

/** A published code, or one of a newer service. */
export type ProblemCode = PublishedCode | (string & {});

/** What is wrong with one field: `field`, `code`, a `message` for people, and `params` such as `{ min: 8 }`. */
export type FieldProblem = NonNullable<Problem['errors']>[number];

/** A refusal (RFC 9457), or an answer that is not the service's: `code` is the contract, the texts are for people. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  /** The HTTP status, which tells what to do about a code that you do not know. */
  readonly status: number;
  /** Absent when the answer is not the service's, but of something before it. */
  readonly code: ProblemCode | undefined;
  /** A sentence for developers; it may change. */
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

  /** Whether it is one of these refusals; a misspelt code does not compile. */
  is<C extends PublishedCode>(...codes: C[]): this is this & { readonly code: C } {
    return codes.some((code) => code === this.code);
  }
}

export function problemOf(response: Response, body: unknown): ApiProblem {
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json') === true;
  return new ApiProblem(response, isProblem ? (body as Partial<Problem>) : {});
}

/** `Retry-After` in seconds; the service sends no dates. */
export function retryAfterSeconds(headers: Headers): number | undefined {
  const value = headers.get('retry-after');
  return value !== null && /^\d+$/.test(value) ? Number(value) : undefined;
}
