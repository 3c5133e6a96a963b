import { ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsOptional, ValidateNested } from 'class-validator';
import { IsKeepable, rule } from '../../platform/http/validation/fields';
import { AddressDto } from '../../profiles/address.dto';
import {
  IsAttributes,
  IsBirthDate,
  IsEmailAddress,
  isObject,
  IsLocale,
  IsName,
  IsPhoneNumber,
} from '../../profiles/profile.fields';

const clearable = { nullable: true } as const;

/** The body of `PATCH /api/v1/me`: a JSON Merge Patch (RFC 7396), where null clears and what is absent stays. */
@ApiSchema({ description: 'A change of the profile (JSON Merge Patch, RFC 7396): what is absent stays, null clears.' })
export class ProfilePatchDto {
  @ApiPropertyOptional({ example: 'Augusta', description: 'Cannot be cleared.' })
  @IsKeepable()
  @IsName()
  firstName?: string;

  @ApiPropertyOptional({ example: 'King', description: 'Cannot be cleared.' })
  @IsKeepable()
  @IsName()
  lastName?: string;

  @IsOptional()
  @IsEmailAddress(clearable)
  email?: string | null;

  @IsOptional()
  @IsPhoneNumber(clearable)
  phone?: string | null;

  @IsOptional()
  @IsBirthDate(clearable)
  birthDate?: string | null;

  @IsOptional()
  @IsLocale(clearable)
  locale?: string | null;

  @ApiPropertyOptional({
    type: AddressDto,
    description: 'What is absent in it stays, null in it clears; null in its place clears all of it.',
  })
  @IsOptional()
  @rule('INVALID_TYPE', 'must be an object', isObject)
  @ValidateNested()
  @Type(() => AddressDto)
  address?: AddressDto | null;

  @IsOptional()
  @IsAttributes(clearable)
  attributes?: Record<string, string | number | boolean | null> | null;
}
