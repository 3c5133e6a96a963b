import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { MAX_EMAIL_LENGTH } from '../../platform/values/email-address';
import { AddressDto } from '../../profiles/address.dto';
import type { Address, Attributes } from '../../profiles/consumer.entity';
import { E164, MAX_LOCALE_LENGTH } from '../../profiles/profile.fields';
import type { ProfileRow } from './profile.repository';

const nullable = (options: object = {}) => ApiProperty({ type: String, nullable: true, ...options });

/** A link to an identity provider, by whose assertions the account can be opened. */
@ApiSchema({ description: 'A link to an identity provider, by whose assertions the account can be opened.' })
export class ExternalIdentityDto {
  @ApiProperty({
    minLength: 1,
    maxLength: 255,
    description: 'Its claim `iss`.',
    example: 'https://accounts.example.com',
  })
  issuer: string;

  @ApiProperty({
    format: 'date-time',
    example: '2026-01-31T12:00:00.000Z',
    description: 'When the link was made (RFC 3339, UTC).',
  })
  linkedAt: string;
}

/** A consumer's profile, as the consumer sees it; what is absent is null. */
@ApiSchema({ description: 'A consumer’s profile, as the consumer sees it; what is absent is null.' })
export class ProfileDto {
  @ApiProperty({
    format: 'uuid',
    example: '0192f0c1-7a3e-7b2a-9c55-0f2d6f0f6a11',
    description: 'The consumer: opaque, the same at every touchpoint, and never given to another.',
  })
  customerId: string;

  @ApiProperty({ enum: ['PERSON'], example: 'PERSON', description: 'What kind of consumer.' })
  type: 'PERSON';

  @ApiProperty({ example: 'Ada', description: 'As registered or changed.', minLength: 1, maxLength: 100 })
  firstName: string;

  @ApiProperty({ example: 'Lovelace', description: 'As registered or changed.', minLength: 1, maxLength: 100 })
  lastName: string;

  @nullable({
    format: 'email',
    example: 'ada@example.com',
    description: 'In lower case, with its domain in ASCII.',
    maxLength: MAX_EMAIL_LENGTH,
  })
  email: string | null;

  @ApiProperty({ example: false, description: 'Whether the consumer has proven `email`.' })
  emailVerified: boolean;

  @nullable({
    format: 'email',
    example: null,
    description: 'Replaces `email` once it has been verified.',
    maxLength: MAX_EMAIL_LENGTH,
  })
  pendingEmail: string | null;

  @nullable({ example: '+12025550123', description: 'In E.164 form.', pattern: E164 })
  phone: string | null;

  @ApiProperty({ example: false, description: 'Whether the consumer has proven `phone`.' })
  phoneVerified: boolean;

  @nullable({ example: null, description: 'Replaces `phone` once it has been verified.', pattern: E164 })
  pendingPhone: string | null;

  @nullable({ format: 'date', example: '1990-12-31', description: 'A calendar date without a time or zone.' })
  birthDate: string | null;

  @nullable({
    example: 'en-GB',
    description: 'The language of messages to the consumer (BCP 47).',
    maxLength: MAX_LOCALE_LENGTH,
  })
  locale: string | null;

  @ApiProperty({ type: AddressDto, description: 'Where the consumer lives.' })
  address: Address | null;

  @ApiProperty({
    type: 'object',
    nullable: true,
    additionalProperties: { type: ['string', 'number', 'boolean'] as never },
    example: { loyaltyTier: 'gold', newsletter: true },
    description: 'What touchpoints keep of the consumer: a flat map.',
  })
  attributes: Attributes | null;

  @ApiProperty({ example: true, description: 'Whether the consumer can log in with a password.' })
  hasPassword: boolean;

  @ApiProperty({
    type: [ExternalIdentityDto],
    description: 'The identity providers by whose assertions this account can be opened, the oldest link first.',
  })
  externalIdentities: ExternalIdentityDto[];

  @ApiProperty({
    format: 'date-time',
    example: '2026-01-31T12:00:00.000Z',
    description: 'When the consumer was registered (RFC 3339, UTC).',
  })
  createdAt: string;

  @ApiProperty({
    format: 'date-time',
    example: '2026-01-31T12:00:00.000Z',
    description: 'When the profile last changed (RFC 3339, UTC).',
  })
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
      externalIdentities: (row.externalIdentities ?? []).map(({ issuer, linkedAt }) => ({ issuer, linkedAt })),
      createdAt: row.createdAt.toISOString(),
      updatedAt: row.updatedAt.toISOString(),
    };
  }
}
