import type { FieldError } from '../../platform/errors/api-error';
import { isCommonPassword } from './common/common-passwords';

export const MAX_PASSWORD_LENGTH = 256;

/** The smallest allowed `PASSWORD_MIN_LENGTH`. */
export const LEAST_MIN_PASSWORD_LENGTH = 8;

/** What others know about a consumer, which must not be the password. */
interface OwnData {
  email?: string | null;
  phone?: string | null;
  firstName?: string | null;
  lastName?: string | null;
}

/** The form in which a password is measured and hashed, the same on every keyboard: NFKC (NIST SP 800-63B-4 section 3.1.1.2). */
export const normalizePassword = (password: string): string => password.normalize('NFKC');

/** Decides which passwords a consumer may choose; lengths are counted in code points after NFKC. */
export class PasswordPolicy {
  constructor(private readonly minLength: number) {}

  /** All violations of the password, under the name of its field. */
  violations(field: string, password: string, own: OwnData): FieldError[] {
    const errors: FieldError[] = [];
    const min = this.minLength;
    const max = MAX_PASSWORD_LENGTH;
    const length = Array.from(normalizePassword(password)).length;
    if (length < min) {
      errors.push({ field, code: 'TOO_SHORT', message: `must have at least ${min} characters`, params: { min } });
    }
    if (length > max) {
      errors.push({ field, code: 'TOO_LONG', message: `must have at most ${max} characters`, params: { max } });
    }
    if (isCommonPassword(password)) {
      errors.push({
        field,
        code: 'TOO_COMMON',
        message: 'must not be a common password, a pattern, or a common word with digits around it',
      });
    }
    if (isOwn(password, own)) {
      const message = 'must not be your own name, e-mail address or phone number';
      errors.push({ field, code: 'INVALID_VALUE', message });
    }
    return errors;
  }
}

function isOwn(password: string, { email, phone, firstName, lastName }: OwnData): boolean {
  const fullNames = firstName && lastName ? [`${firstName} ${lastName}`, `${firstName}${lastName}`] : [];
  const own = [email, email?.split('@')[0], phone, phone?.replace('+', ''), firstName, lastName, ...fullNames];
  return own.some((value) => value && ignoringCase(value) === ignoringCase(password));
}

const ignoringCase = (text: string): string => normalizePassword(text).toLowerCase();
