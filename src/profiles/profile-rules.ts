import type { FieldError } from '../platform/errors/api-error';
import { addressViolations } from './address.dto';
import type { Address, Attributes } from './consumer.entity';
import { attributesViolations } from './profile.fields';

/** Checks a profile as a whole: between its fields, and against today's date. */
export function profileViolations(
  profile: { birthDate?: string | null; address?: Partial<Address> | null; attributes?: Attributes | null },
  now: Date,
): FieldError[] {
  const today = now.toISOString().slice(0, 10);
  const inFuture = typeof profile.birthDate === 'string' && profile.birthDate > today;
  return [
    ...(inFuture ? [{ field: 'birthDate', code: 'INVALID_VALUE' as const, message: 'must not be in the future' }] : []),
    ...addressViolations(profile.address ?? {}),
    ...attributesViolations(profile.attributes),
  ];
}
