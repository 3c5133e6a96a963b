import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';

const CHANNELS = ['email', 'sms'];
const CHALLENGE_ID = '0197a3c6-2f0e-7a45-b3d1-58e9c04a7b26';

/** The body of `POST /api/v1/login/otp/request`. */
@ApiSchema({ description: 'Who wants to log in, and where the code is to be sent.' })
export class OneTimeCodeRequestDto {
  @ApiProperty({
    description: 'An e-mail address, a phone number or a customer id.',
    example: 'ada@example.com',
    minLength: 1,
    maxLength: 254,
  })
  identifier: string;

  @ApiPropertyOptional({ enum: CHANNELS, description: 'Where to; the consumer’s verified address when absent.' })
  channel?: string;
}

/** A code to log in with is on its way. */
@ApiSchema({ description: 'A code to log in with is on its way.' })
export class OneTimeCodeSentDto {
  @ApiProperty({ description: 'Send it with the code.', example: CHALLENGE_ID, format: 'uuid' })
  challengeId: string;

  @ApiProperty({ enum: CHANNELS, example: 'email', description: 'How it was sent.' })
  channel: string;

  @ApiProperty({ description: 'Where it was sent, masked.', example: 'a***@e***.com', minLength: 1, maxLength: 254 })
  destination: string;

  @ApiProperty({
    format: 'date-time',
    example: '2026-01-31T12:10:00.000Z',
    description: 'When the code stops working (RFC 3339, UTC).',
  })
  expiresAt: string;

  @ApiProperty({
    format: 'date-time',
    description: 'When another may be asked for.',
    example: '2026-01-31T12:01:00.000Z',
  })
  resendAfter: string;
}

/** The body of `POST /api/v1/login/otp/verify`. */
@ApiSchema({ description: 'The code that the consumer has typed.' })
export class OneTimeCodeVerifyDto {
  @ApiProperty({ example: CHALLENGE_ID, description: 'As answered when the code was sent.', format: 'uuid' })
  challengeId: string;

  @ApiProperty({ pattern: '^[0-9]{6}$', description: 'The six digits of the message.', example: '493027' })
  code: string;
}
