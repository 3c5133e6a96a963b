import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsNewPassword } from '../../auth/passwords/password.fields';
import { Type } from 'class-transformer';
import { IsOptional, ValidateNested } from 'class-validator';
import { IsOneOf, rule } from '../../platform/http/validation/fields';
import { AddressDto } from '../../profiles/address.dto';
import type { Attributes } from '../../profiles/consumer.entity';
import {
  IsAttributes,
  IsBirthDate,
  IsEmailAddress,
  isObject,
  IsLocale,
  IsName,
  IsPhoneNumber,
} from '../../profiles/profile.fields';

/** Whom a registration is of. */
@ApiSchema({ description: 'Whom a registration is of.' })
export class RegistrationFields {
  @ApiProperty({ example: 'PERSON', description: 'What kind of consumer.' })
  @IsOneOf('PERSON')
  type: 'PERSON';

  @ApiProperty({ example: 'Ada', description: 'Of any script; white space around it is dropped.' })
  @IsName()
  firstName: string;

  @ApiProperty({ example: 'Lovelace', description: 'Of any script; white space around it is dropped.' })
  @IsName()
  lastName: string;

  @IsOptional()
  @IsEmailAddress()
  email?: string | null;

  @IsOptional()
  @IsPhoneNumber()
  phone?: string | null;

  @IsOptional()
  @IsBirthDate()
  birthDate?: string | null;

  @IsOptional()
  @IsLocale()
  locale?: string | null;

  @ApiPropertyOptional({ type: AddressDto, description: 'Where the consumer lives.' })
  @IsOptional()
  @rule('INVALID_TYPE', 'must be an object', isObject)
  @ValidateNested()
  @Type(() => AddressDto)
  address?: AddressDto | null;

  @IsOptional()
  @IsAttributes()
  attributes?: Attributes | null;
}

/** The body of `POST /api/v1/register` (specification, section 2.2). */
@ApiSchema({
  description:
    'A new consumer. At a touchpoint that wants a channel proof, `email` or `phone`, whichever is proven, is required.',
})
export class RegisterDto extends RegistrationFields {
  @IsNewPassword(
    'Required at a touchpoint in PASSWORD mode, forbidden at one in OTP mode. Where the touchpoint requires a channel ' +
      'proof it may also follow with `POST /api/v1/register/complete`; one that is sent here is kept as a hash until then.',
  )
  password?: string | null;
}
