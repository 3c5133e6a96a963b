import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { FieldError } from '../../platform/errors/api-error';
import { ApiProblems } from '../../platform/http/api-problems.decorator';
import type { ApiRequest } from '../../platform/http/api-request';

const HEADER = 'Idempotency-Key';
const MAX_LENGTH = 128;
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/** The header as it came, and what is wrong with it. */
export interface IdempotencyKey {
  value: string;
  violations: FieldError[];
}

/** The request's `Idempotency-Key`, or null without one. */
export const RequestIdempotencyKey = createParamDecorator(
  (_: unknown, context: ExecutionContext): IdempotencyKey | null => {
    const values = context.switchToHttp().getRequest<ApiRequest>().headersDistinct[HEADER.toLowerCase()];
    if (values === undefined) return null;
    return { value: values.join(), violations: violationsOf(values) };
  },
);

/** Documents what a route does with an `Idempotency-Key`. */
export const AcceptsIdempotencyKey = (): MethodDecorator =>
  applyDecorators(
    ApiHeader({
      name: HEADER,
      required: false,
      description:
        'Makes it safe to send the request again: for 24 hours the same key and body yield the first success once more. ' +
        'Take a new random value, such as a UUID, for every new request.',
      schema: { type: 'string', minLength: 1, maxLength: MAX_LENGTH, pattern: VISIBLE_ASCII.source },
      example: '7f9c24e8-3b12-4fef-91d0-5a8e7c0d2b64',
    }),
    ApiProblems('IDEMPOTENCY_KEY_REUSED', 'REQUEST_IN_PROGRESS'),
  );

function violationsOf([value = '', ...others]: string[]): FieldError[] {
  if (others.length > 0) return [{ field: HEADER, code: 'INVALID_FORMAT', message: 'must be sent once' }];
  const violations: FieldError[] = [];
  if (value.length > MAX_LENGTH) {
    const message = `must have at most ${MAX_LENGTH} characters`;
    violations.push({ field: HEADER, code: 'TOO_LONG', message, params: { max: MAX_LENGTH } });
  }
  if (!VISIBLE_ASCII.test(value)) {
    violations.push({ field: HEADER, code: 'INVALID_FORMAT', message: 'must be visible ASCII characters' });
  }
  return violations;
}
