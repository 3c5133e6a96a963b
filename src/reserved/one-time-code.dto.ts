import { ApiProperty, ApiPropertyOptional } from '../platform/openapi';

const CHANNELS = ['email', 'sms'];
const CHALLENGE_ID = '0197a3c6-2f0e-7a45-b3d1-58e9c04a7b26';

/** The body of `POST /api/v1/login/otp/request`. */
export class OneTimeCodeRequestDto {
  @ApiProperty({ description: 'An e-mail address, a phone number or a customer id.', example: 'ada@example.com' })
  identifier: string;

  @ApiPropertyOptional({ enum: CHANNELS, description: 'Where to; the consumer’s verified address when absent.' })
  channel?: string;
}

/** A code to log in with is on its way. */
export class OneTimeCodeSentDto {
  @ApiProperty({ description: 'Send it with the code.', example: CHALLENGE_ID })
  challengeId: string;

  @ApiProperty({ enum: CHANNELS, example: 'email' })
  channel: string;

  @ApiProperty({ description: 'Where it was sent, masked.', example: 'a***@e***.com' })
  destination: string;

  @ApiProperty({ format: 'date-time', example: '2026-01-31T12:10:00.000Z' })
  expiresAt: string;

  @ApiProperty({
    format: 'date-time',
    description: 'When another may be asked for.',
    example: '2026-01-31T12:01:00.000Z',
  })
  resendAfter: string;
}

/** The body of `POST /api/v1/login/otp/verify`. */
export class OneTimeCodeVerifyDto {
  @ApiProperty({ example: CHALLENGE_ID })
  challengeId: string;

  @ApiProperty({ pattern: '^[0-9]{6}$', description: 'The six digits of the message.', example: '493027' })
  code: string;
}
