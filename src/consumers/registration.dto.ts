import { ApiProperty } from '@nestjs/swagger';
import { IsText } from '../platform/http/fields';
import { ChallengeSentDto, IsCode } from '../verification/verification.dto';
import { IsNewPassword } from './profile.fields';

/** A registration that waits for the proof of its channel. */
export class RegistrationStartedDto extends ChallengeSentDto {
  @ApiProperty({ description: 'Send it with the code.', example: '0192f0c1-7a3e-7b2a-9c55-0f2d6f0f6a11' })
  registrationId: string;
}

/** The body of `POST /api/v1/register/complete`. */
export class CompleteRegistrationDto {
  @ApiProperty({ example: '0192f0c1-7a3e-7b2a-9c55-0f2d6f0f6a11' })
  @IsText()
  registrationId: string;

  @IsCode()
  code: string;

  @IsNewPassword()
  password?: string | null;
}
