import { IsText, TextRule } from '../platform/http/fields';
import { CHANNELS, type Channel } from '../platform/messages/message';
import { ApiProperty } from '../platform/openapi';

export const IsCode = (): PropertyDecorator => {
  const text = IsText();
  const digits = TextRule('INVALID_FORMAT', 'must be six digits', (value) => /^\d{6}$/.test(value));
  const documented = ApiProperty({
    pattern: '^[0-9]{6}$',
    example: '493027',
    description: 'The six digits of the message.',
  });
  return (target, key) => {
    for (const decorate of [text, digits, documented]) decorate(target, key);
  };
};

/** The body of `POST /api/v1/verifications/{channel}/confirm`. */
export class ConfirmDto {
  @IsCode()
  code: string;
}

/** A code is on its way. */
export class ChallengeSentDto {
  @ApiProperty({ enum: CHANNELS, example: 'email' })
  channel: Channel;

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

export class VerifiedDto {
  @ApiProperty({ enum: CHANNELS, example: 'email' })
  channel: Channel;

  @ApiProperty({ type: Boolean, enum: [true] })
  verified: true;

  @ApiProperty({ format: 'date-time', example: '2026-01-31T12:05:00.000Z' })
  verifiedAt: string;
}
