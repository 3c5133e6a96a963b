import { canonicalEmail } from '../../platform/values/email-address';
import type { Assertion } from '../../auth/assertions/assertion-verifier';
import type { IdentifierKind } from '../../auth/identifiers/identifier.entity';
import { type FieldError, validationFailed } from '../../platform/errors/api-error';
import { acceptableFields } from '../../platform/http/validation/validation';
import type { Touchpoint } from '../../touchpoints/touchpoint.entity';
import { phoneViolations } from '../../verification/phone-rules';
import type { Registration } from '../registration/consumer-creation.service';
import { PartialRegistration } from './identify.dto';

/** The e-mail address that the issuer has verified and is trusted for, if the assertion has one. */
export function trustedEmail({ provider, claims }: Assertion): string | null {
  const { email, email_verified: isVerified } = claims;
  return provider.trustsEmail && isVerified === true && typeof email === 'string' ? canonicalEmail(email) : null;
}

/**
 * A registration from the given fields and from the claims (OpenID Connect Core, section 5.1) that our rules accept.
 * Claimed identifiers may be left out, because the caller cannot change the claims.
 */
export function registrationFrom(
  touchpoint: Touchpoint,
  { claims }: Assertion,
  given: Partial<Registration>,
): { registration: Registration; dispensable: IdentifierKind[] } {
  const claimed = acceptableFields(PartialRegistration, {
    firstName: claims.given_name,
    lastName: claims.family_name,
    email: claims.email,
    phone: claims.phone_number,
    locale: claims.locale,
  });
  if (phoneViolations(touchpoint, claimed.phone).length > 0) delete claimed.phone;
  const { firstName, lastName, ...rest } = { ...given, ...claimed };
  if (typeof firstName === 'string' && typeof lastName === 'string') {
    const dispensable = (['email', 'phone'] as const).filter((kind) => kind in claimed);
    return { registration: { ...rest, type: 'PERSON', firstName, lastName }, dispensable };
  }
  const missing = Object.entries({ firstName, lastName }).filter(([, name]) => typeof name !== 'string');
  throw validationFailed(missing.map(([field]): FieldError => ({ field, code: 'REQUIRED', message: 'is required' })));
}
