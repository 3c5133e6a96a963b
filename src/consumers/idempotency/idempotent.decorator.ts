import {
  applyDecorators,
  createParamDecorator,
  type ExecutionContext,
  SetMetadata,
  type Type,
  UseInterceptors,
} from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { ApiProblems } from '../../platform/http/api-problems.decorator';
import { IDEMPOTENCY_KEY, MAX_KEY_LENGTH, VISIBLE_ASCII } from './idempotency-key';
import { IdempotencyInterceptor } from './idempotency.interceptor';
import { IDEMPOTENT, type IdempotentOperation, type Lease, type LeasedRequest, type ReplayRule } from './lease';

/**
 * The route performs a request once for its `Idempotency-Key`, and answers retries with the kept outcome. Its handler
 * answers an `Outcome`, and settles its lease in the transaction of the change. Place it above `ReadsJson`, because it
 * compares bodies. `rule` says whether the outcome would still be granted.
 */
export const Idempotent = (operation: IdempotentOperation, rule?: Type<ReplayRule>): MethodDecorator =>
  applyDecorators(
    SetMetadata(IDEMPOTENT, { operation, rule }),
    UseInterceptors(IdempotencyInterceptor),
    ApiHeader({
      name: IDEMPOTENCY_KEY,
      required: false,
      description:
        'Makes it safe to send the request again: for 24 hours the same key and body yield the first success once more. ' +
        'Take a new random value, such as a UUID, for every new request.',
      schema: { type: 'string', minLength: 1, maxLength: MAX_KEY_LENGTH, pattern: VISIBLE_ASCII.source },
      example: '7f9c24e8-3b12-4fef-91d0-5a8e7c0d2b64',
    }),
    ApiProblems('IDEMPOTENCY_KEY_REUSED', 'REQUEST_IN_PROGRESS'),
  );

/** The request's hold on its `Idempotency-Key`. */
export const CurrentLease = createParamDecorator(
  (_: unknown, context: ExecutionContext): Lease => context.switchToHttp().getRequest<LeasedRequest>().lease,
);
