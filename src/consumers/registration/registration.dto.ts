import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { IsText } from '../../platform/http/validation/fields';
import { ChallengeSentDto, IsCode } from '../../verification/verification.dto';
import { IsNewPassword } from '../../auth/passwords/password.fields';

/** A registration that waits for the proof of its channel. */
@ApiSchema({
  description: 'A registration that waits for the code that was sent: nobody is registered before it is completed.',
})
export class RegistrationStartedDto extends ChallengeSentDto {
  @ApiProperty({
    description: 'Send it with the code.',
    example: '0197a3c1-0b64-7d1f-a2c8-94d5e3b7f610',
    format: 'uuid',
  })
  registrationId: string;
}

/** The body of `POST /api/v1/register/complete`. */
@ApiSchema({ description: 'The code of a registration that waits for one.' })
export class CompleteRegistrationDto {
  @ApiProperty({
    example: '0197a3c1-0b64-7d1f-a2c8-94d5e3b7f610',
    description: 'As answered when the registration began.',
    format: 'uuid',
  })
  @IsText()
  registrationId: string;

  @IsCode()
  code: string;

  @IsNewPassword(
    'Required at a touchpoint in PASSWORD mode when the first step had none, forbidden at one in OTP mode. It replaces ' +
      'the one of the first step.',
  )
  password?: string | null;
}
