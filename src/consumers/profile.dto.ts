import { ApiProperty } from '../platform/openapi';
import { AddressDto } from './address.dto';
import type { Address, Attributes } from './consumer.entity';
import type { ProfileRow } from './profiles.service';

const nullable = (options: object = {}) => ApiProperty({ type: String, nullable: true, ...options });

/** A consumer's profile, as the consumer sees it; what is absent is null. */
export class ProfileDto {
  @ApiProperty({ format: 'uuid', example: '0192f0c1-7a3e-7b2a-9c55-0f2d6f0f6a11' })
  customerId: string;

  @ApiProperty({ enum: ['PERSON'], example: 'PERSON' })
  type: 'PERSON';

  @ApiProperty({ example: 'Ada' })
  firstName: string;

  @ApiProperty({ example: 'Lovelace' })
  lastName: string;

  @nullable({ format: 'email', example: 'ada@example.com' })
  email: string | null;

  @ApiProperty({ example: false })
  emailVerified: boolean;

  @nullable({ format: 'email', example: null, description: 'Replaces `email` once it has been verified.' })
  pendingEmail: string | null;

  @nullable({ example: '+12025550123' })
  phone: string | null;

  @ApiProperty({ example: false })
  phoneVerified: boolean;

  @nullable({ example: null, description: 'Replaces `phone` once it has been verified.' })
  pendingPhone: string | null;

  @nullable({ format: 'date', example: '1990-12-31' })
  birthDate: string | null;

  @nullable({ example: 'en-GB' })
  locale: string | null;

  @ApiProperty({ type: AddressDto, nullable: true })
  address: Address | null;

  @ApiProperty({
    type: 'object',
    nullable: true,
    additionalProperties: { type: ['string', 'number', 'boolean'] as never },
    example: { loyaltyTier: 'gold', newsletter: true },
  })
  attributes: Attributes | null;

  @ApiProperty({ example: true })
  hasPassword: boolean;

  @ApiProperty({ format: 'date-time', example: '2026-01-31T12:00:00.000Z' })
  createdAt: string;

  @ApiProperty({ format: 'date-time', example: '2026-01-31T12:00:00.000Z' })
  updatedAt: string;

  static from(row: ProfileRow): ProfileDto {
    return {
      customerId: row.customerId,
      type: row.type,
      firstName: row.firstName,
      lastName: row.lastName,
      email: row.email,
      emailVerified: row.emailVerified,
      pendingEmail: row.pendingEmail,
      phone: row.phone,
      phoneVerified: row.phoneVerified,
      pendingPhone: row.pendingPhone,
      birthDate: row.birthDate,
      locale: row.locale,
      address: row.address,
      attributes: row.attributes,
      hasPassword: row.hasPassword,
      createdAt: row.createdAt.toISOString(),
      updatedAt: row.updatedAt.toISOString(),
    };
  }
}
