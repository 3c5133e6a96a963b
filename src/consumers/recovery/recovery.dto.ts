import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { parseLoginIdentifier } from '../../auth/identifiers/login-identifier';
import { NEW_PASSWORD } from '../../auth/passwords/password.fields';
import { IsText, TextRule } from '../../platform/http/validation/fields';
import { ChallengeSentDto, IsRecoveryCode } from '../../verification/verification.dto';

const isAddress = (text: string): boolean => ['email', 'phone'].includes(parseLoginIdentifier(text).kind);

/** The body of `POST /api/v1/password/forgot`. */
@ApiSchema({ description: 'Who has forgotten the password.' })
export class PasswordForgotDto {
  @ApiProperty({ description: 'An e-mail address or a phone number.', example: 'ada@example.com', minLength: 1 })
  @IsText()
  @TextRule('INVALID_FORMAT', 'must be an e-mail address or a phone number', isAddress)
  identifier: string;
}

/** A recovery that waits for its code, or looks like one. */
@ApiSchema({
  description: 'A recovery that waits for its code. It looks the same where there is no account, and no code was sent.',
})
export class RecoveryStartedDto extends ChallengeSentDto {
  @ApiProperty({
    description: 'Send it with the code.',
    example: '0197a3c1-0b64-7d1f-a2c8-94d5e3b7f610',
    format: 'uuid',
  })
  recoveryId: string;
}

/** The body of `POST /api/v1/password/reset`. */
@ApiSchema({ description: 'The code of a recovery, and the password that the consumer has chosen.' })
export class PasswordResetDto {
  @ApiProperty({
    example: '0197a3c1-0b64-7d1f-a2c8-94d5e3b7f610',
    description: 'As answered when the recovery began.',
    format: 'uuid',
  })
  @IsText()
  recoveryId: string;

  @IsRecoveryCode()
  code: string;

  @ApiProperty({ ...NEW_PASSWORD, example: 'hold fast to the analytical engine' })
  @IsText()
  newPassword: string;
}
