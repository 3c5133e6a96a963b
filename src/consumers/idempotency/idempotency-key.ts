import type { IncomingMessage } from 'node:http';
import type { FieldError } from '../../platform/errors/api-error';
import { fieldLines } from '../../platform/http/field-lines';

export const IDEMPOTENCY_KEY = 'Idempotency-Key';
export const MAX_KEY_LENGTH = 128;
export const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/** The header as sent, and what is wrong with it. */
export interface IdempotencyKey {
  value: string;
  violations: FieldError[];
}

/** The request's `Idempotency-Key`, or null without one. */
export function idempotencyKeyOf(request: IncomingMessage): IdempotencyKey | null {
  const values = fieldLines(request, IDEMPOTENCY_KEY);
  return values.length === 0 ? null : { value: values.join(), violations: violationsOf(values) };
}

function violationsOf([value = '', ...others]: string[]): FieldError[] {
  const field = IDEMPOTENCY_KEY;
  if (others.length > 0) return [{ field, code: 'INVALID_FORMAT', message: 'must be sent once' }];
  const violations: FieldError[] = [];
  if (value.length > MAX_KEY_LENGTH) {
    const message = `must have at most ${MAX_KEY_LENGTH} characters`;
    violations.push({ field, code: 'TOO_LONG', message, params: { max: MAX_KEY_LENGTH } });
  }
  if (!VISIBLE_ASCII.test(value)) {
    violations.push({ field, code: 'INVALID_FORMAT', message: 'must be visible ASCII characters' });
  }
  return violations;
}
