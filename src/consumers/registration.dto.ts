import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { IsText } from '../platform/http/fields';
import { ChallengeSentDto, IsCode } from '../verification/verification.dto';

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

  @ApiPropertyOptional({
    type: String,
    format: 'password',
    maxLength: 256,
    description: 'Required at a touchpoint in PASSWORD mode, forbidden at one in OTP mode.',
    example: 'correct horse battery staple',
  })
  @IsOptional()
  @IsText()
  password?: string | null;
}
