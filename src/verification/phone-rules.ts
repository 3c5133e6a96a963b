import { countryOfPhone, isPersonalPhone } from '../platform/values/phone-number';
import type { FieldError } from '../platform/errors/api-error';
import type { Touchpoint } from '../touchpoints/touchpoint.entity';

/**
 * Why a touchpoint does not accept a canonical phone number or send SMS to it; the type of the value is checked
 * elsewhere.
 */
export function phoneViolations({ smsCountries }: Touchpoint, phone: unknown): FieldError[] {
  if (typeof phone !== 'string') return [];
  const refused = (message: string): FieldError[] => [{ field: 'phone', code: 'INVALID_VALUE', message }];
  if (!isPersonalPhone(phone)) return refused('must be a number that a person can have');
  if (smsCountries.length === 0 || smsCountries.includes(countryOfPhone(phone) ?? '')) return [];
  return refused('must be a number of a country that this touchpoint sends SMS to');
}
