import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { compose, IsText } from '../../platform/http/validation/fields';
import { LEAST_MIN_PASSWORD_LENGTH, MAX_PASSWORD_LENGTH } from './password-policy';

/** How the document shows a password that is chosen; the deployment may ask for more. */
export const NEW_PASSWORD = {
  type: String,
  format: 'password',
  minLength: LEAST_MIN_PASSWORD_LENGTH,
  maxLength: MAX_PASSWORD_LENGTH,
  description: `${LEAST_MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters after NFKC, unless this deployment asks for more than ${LEAST_MIN_PASSWORD_LENGTH}. Refused are the most common passwords, and the consumer’s own names and addresses.`,
  example: 'correct horse battery staple',
};

/** Judged further by `PasswordRules`, which knows the touchpoint. */
export const IsNewPassword = (description: string): PropertyDecorator =>
  compose(
    ApiPropertyOptional({
      ...NEW_PASSWORD,
      description: `${description} ${NEW_PASSWORD.description}`,
    }),
    IsOptional(),
    IsText(),
  );
