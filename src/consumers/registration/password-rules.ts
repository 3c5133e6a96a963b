import { Injectable } from '@nestjs/common';
import { PasswordPolicy } from '../../auth/passwords/password-policy';
import type { FieldError } from '../../platform/errors/api-error';
import { AuthenticationMode, type Touchpoint } from '../../touchpoints/touchpoint.entity';

/** Whether a registration must, may or must not carry a password, and which (specification, section 2.2). */
@Injectable()
export class PasswordRules {
  constructor(private readonly policy: PasswordPolicy) {}

  /** `own` is the rest of the registration, valid or not: a draft may hold anything where text belongs. */
  violations(
    { authenticationMode }: Touchpoint,
    password: unknown,
    own: object,
    { optional = false }: { optional?: boolean } = {},
  ): FieldError[] {
    const isGiven = password !== undefined && password !== null;
    if (authenticationMode !== AuthenticationMode.Password) {
      const message = 'this touchpoint does not use passwords';
      return isGiven ? [{ field: 'password', code: 'FORBIDDEN', message }] : [];
    }
    if (!isGiven) return optional ? [] : [{ field: 'password', code: 'REQUIRED', message: 'is required' }];
    if (typeof password !== 'string') return [];
    const texts = Object.fromEntries(Object.entries(own).filter(([, value]) => typeof value === 'string'));
    return this.policy.violations('password', password, texts);
  }
}
