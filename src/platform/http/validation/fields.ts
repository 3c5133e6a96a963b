import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ValidateBy, ValidateIf } from 'class-validator';
import type { FieldErrorCode } from '../../errors/error-catalog';
import type { ViolationContext } from './validation';

export const compose = (...decorators: PropertyDecorator[]) => applyDecorators(...decorators) as PropertyDecorator;

/** A rule for text; values of other types are left to `IsText`. */
export const TextRule = (
  code: FieldErrorCode,
  message: string,
  holds: (value: string) => boolean,
  params?: Record<string, string | number>,
): PropertyDecorator => rule(code, message, (value) => typeof value !== 'string' || holds(value), params);

export const IsText = (): PropertyDecorator =>
  rule('INVALID_TYPE', 'must be a string', (value) => typeof value === 'string');

export const IsFlag = (): PropertyDecorator =>
  rule('INVALID_TYPE', 'must be true or false', (value) => typeof value === 'boolean');

/** Text of `min` to `max` code points, without control characters or line ends. */
export const IsLine = (min: number, max: number): PropertyDecorator =>
  compose(
    ApiProperty({ minLength: min, maxLength: max }),
    IsText(),
    TextRule(
      'TOO_SHORT',
      min === 1 ? 'must not be empty' : `must have at least ${min} characters`,
      (value) => codePoints(value) >= min,
      { min },
    ),
    TextRule('TOO_LONG', `must have at most ${max} characters`, (value) => codePoints(value) <= max, { max }),
    TextRule('INVALID_FORMAT', 'must not hold control characters', (value) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value)),
  );

export const IsOneOf = (...values: string[]): PropertyDecorator =>
  compose(
    ApiProperty({ enum: values }),
    IsText(),
    TextRule('INVALID_VALUE', `must be ${values.join(' or ')}`, (value) => values.includes(value)),
  );

/** Removes white space around text before it is checked. */
export const Trimmed = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value));

/** Absent is fine, null is not: what cannot be cleared. */
export const IsKeepable = (): PropertyDecorator => ValidateIf((_, value) => value !== undefined);

const codePoints = (value: string): number => {
  let count = 0;
  for (const _ of value) count += 1;
  return count;
};

let rules = 0;

/** A rule with its code; class-validator needs a unique name for each rule of a property. */
export function rule(
  code: FieldErrorCode,
  message: string,
  holds: (value: unknown) => boolean,
  params?: Record<string, string | number>,
): PropertyDecorator {
  rules += 1;
  const context: ViolationContext = { code, ...(params && { params }) };
  return ValidateBy(
    { name: `rule${rules}`, validator: { validate: holds, defaultMessage: () => message } },
    { context },
  );
}
