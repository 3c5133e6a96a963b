import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { compose, IsText, TextRule } from '../platform/http/validation/fields';
import { CHANNELS, type Channel } from '../messages/message';

const IsCodeOf = (digits: number, count: string, example: string): PropertyDecorator =>
  compose(
    IsText(),
    TextRule('INVALID_FORMAT', `must be ${count} digits`, (value) => new RegExp(`^[0-9]{${digits}}$`).test(value)),
    ApiProperty({ pattern: `^[0-9]{${digits}}$`, example, description: `The ${count} digits of the message.` }),
  );

export const IsCode = (): PropertyDecorator => IsCodeOf(6, 'six', '493027');

export const IsRecoveryCode = (): PropertyDecorator => IsCodeOf(8, 'eight', '49302718');

/** The body of `POST /api/v1/verifications/{channel}/confirm`. */
@ApiSchema({ description: 'The code that the consumer has typed.' })
export class ConfirmDto {
  @IsCode()
  code: string;
}

/** A code is on its way. */
@ApiSchema({ description: 'A code is on its way to the consumer.' })
export class ChallengeSentDto {
  @ApiProperty({ enum: CHANNELS, example: 'email', description: 'How it was sent.' })
  channel: Channel;

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

@ApiSchema({ description: 'An address that has been proven.' })
export class VerifiedDto {
  @ApiProperty({
    enum: CHANNELS,
    example: 'email',
    description: 'Which one: `email` for the e-mail address, `sms` for the phone number.',
  })
  channel: Channel;

  @ApiProperty({ type: Boolean, description: 'Always true: anything else is an error.', example: true })
  verified: true;

  @ApiProperty({
    format: 'date-time',
    example: '2026-01-31T12:05:00.000Z',
    description: 'When it was proven (RFC 3339, UTC).',
  })
  verifiedAt: string;
}
