import { ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { canonicalEmail, MAX_EMAIL_LENGTH } from '../platform/values/email-address';
import { canonicalPhone } from '../platform/values/phone-number';
import type { FieldError } from '../platform/errors/api-error';
import { compose, IsLine, IsText, rule, TextRule, Trimmed } from '../platform/http/validation/fields';
import { asSent } from '../platform/http/validation/validation';

export const MAX_LOCALE_LENGTH = 64;

/** How a phone number is answered, without separators. */
export const E164 = '^\\+[1-9][0-9]{1,14}$';

const MAX_ATTRIBUTES = 50;
const MAX_ATTRIBUTES_BYTES = 4096;

/** Replaces text by its canonical form, if it has one, before it is checked. */
export const Canonical = (canonical: (text: string) => string | null): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? (canonical(value) ?? value) : value));

/** 1 to 100 characters of any script, without the white space around them. */
export const IsName = (): PropertyDecorator =>
  compose(
    Trimmed(),
    IsLine(1, 100),
    TextRule(
      'INVALID_FORMAT',
      'must hold a visible character',
      (value) => value === '' || /[^\p{Cf}\p{Cc}\p{Z}]/u.test(value),
    ),
  );

export const IsEmailAddress = (options: ApiPropertyOptions = {}): PropertyDecorator =>
  compose(
    ApiPropertyOptional({
      type: String,
      format: 'email',
      maxLength: MAX_EMAIL_LENGTH,
      description: 'An e-mail address, of at most 64 characters before its @; capitals do not count.',
      example: 'ada@example.com',
      ...options,
    }),
    Canonical(canonicalEmail),
    IsText(),
    TextRule(
      'INVALID_FORMAT',
      'must be an e-mail address such as ada@example.com',
      (value) => canonicalEmail(value) !== null,
    ),
  );

/** `phoneViolations` checks it further, by the rules of the touchpoint. */
export const IsPhoneNumber = (options: ApiPropertyOptions = {}): PropertyDecorator =>
  compose(
    ApiPropertyOptional({
      type: String,
      pattern: '^[ ()-]*\\+[0-9 ()-]+$',
      description:
        'International (E.164): a + and at most 15 digits; spaces, dashes and brackets are dropped. Numbers of premium rate, shared cost, satellites and services are refused.',
      example: '+12025550123',
      ...options,
    }),
    Canonical(canonicalPhone),
    IsText(),
    TextRule(
      'INVALID_FORMAT',
      'must be a phone number such as +12025550123',
      (value) => canonicalPhone(value) !== null,
    ),
  );

export const IsBirthDate = (options: ApiPropertyOptions = {}): PropertyDecorator =>
  compose(
    ApiPropertyOptional({
      type: String,
      format: 'date',
      description: 'A calendar date, not in the future.',
      example: '1990-12-31',
      ...options,
    }),
    IsText(),
    TextRule('INVALID_FORMAT', 'must be a date such as 1990-12-31', isCalendarDate),
  );

export const IsLocale = (options: ApiPropertyOptions = {}): PropertyDecorator =>
  compose(
    ApiPropertyOptional({
      type: String,
      minLength: 2,
      maxLength: MAX_LOCALE_LENGTH,
      description: 'A language tag (BCP 47): the language of messages to the consumer.',
      example: 'en-GB',
      ...options,
    }),
    Canonical(canonicalLocale),
    IsText(),
    TextRule('INVALID_FORMAT', 'must be a language tag such as en-GB', (value) => canonicalLocale(value) !== null),
  );

/** A flat map of scalar values, kept as sent; `attributesViolations` checks its size. */
export const IsAttributes = (options: { nullable?: boolean } = {}): PropertyDecorator =>
  compose(
    ApiPropertyOptional({
      type: 'object',
      additionalProperties: { type: ['string', 'number', 'boolean', 'null'] as never },
      maxProperties: MAX_ATTRIBUTES,
      description: `What touchpoints keep of the consumer: a flat map of at most ${MAX_ATTRIBUTES} entries and ${MAX_ATTRIBUTES_BYTES} bytes as JSON.`,
      example: { loyaltyTier: 'gold', newsletter: true },
      ...options,
    }),
    Transform(({ obj }: { obj: { attributes?: unknown } }) => asSent(obj.attributes)),
    rule('INVALID_TYPE', 'must be an object', isObject),
    rule(
      'INVALID_VALUE',
      'must hold only strings, numbers, booleans and null',
      (value) => !isObject(value) || hasScalars(value),
    ),
  );

/** Whether the map would be too large to store. */
export function attributesViolations(attributes: unknown): FieldError[] {
  if (!isObject(attributes)) return [];
  const tooLong = (message: string, params: Record<string, number>): FieldError[] => [
    { field: 'attributes', code: 'TOO_LONG', message, params },
  ];
  if (Object.keys(attributes).length > MAX_ATTRIBUTES) {
    return tooLong(`must have at most ${MAX_ATTRIBUTES} entries`, { max: MAX_ATTRIBUTES });
  }
  return Buffer.byteLength(JSON.stringify(attributes)) > MAX_ATTRIBUTES_BYTES
    ? tooLong(`must take at most ${MAX_ATTRIBUTES_BYTES} bytes as JSON`, { maxBytes: MAX_ATTRIBUTES_BYTES })
    : [];
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const hasScalars = (map: Record<string, unknown>): boolean =>
  Object.values(map).every((value) => value === null || ['string', 'number', 'boolean'].includes(typeof value));

export function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text.startsWith('0000')) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

function canonicalLocale(text: string): string | null {
  try {
    return text.length <= MAX_LOCALE_LENGTH ? (Intl.getCanonicalLocales(text)[0] ?? null) : null;
  } catch {
    return null;
  }
}
