import { ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import type { FieldError } from '../platform/errors/api-error';
import { IsLine, IsText, TextRule, Trimmed } from '../platform/http/validation/fields';
import { NULLABLE } from '../platform/http/validation/nullable-schema';
import { isCountryCode, isSubdivisionOf } from '../reference/iso-3166';
import type { Address } from './consumer.entity';

/** A postal address; every field may be absent. */
@ApiSchema({
  description: 'A postal address; every field may be absent or null, and null stands for no address.',
  ...NULLABLE,
})
export class AddressDto {
  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: '12 St James’s Square',
    description: 'Street and house number.',
  })
  @IsOptional()
  @Trimmed()
  @IsLine(1, 200)
  line1?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: '2nd floor',
    description: 'Floor, apartment or company.',
  })
  @IsOptional()
  @Trimmed()
  @IsLine(1, 200)
  line2?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: 'SW1Y 4JH',
    description: 'As written in that country.',
  })
  @IsOptional()
  @Trimmed()
  @IsLine(1, 20)
  postalCode?: string | null;

  @ApiPropertyOptional({ type: String, nullable: true, example: 'London', description: 'City or town.' })
  @IsOptional()
  @Trimmed()
  @IsLine(1, 100)
  city?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: 'GB',
    pattern: '^[A-Z]{2}$',
    description: 'ISO 3166-1 alpha-2, in capitals: a `code` of `GET /api/v1/reference/countries`.',
  })
  @IsOptional()
  @IsText()
  @TextRule('INVALID_VALUE', 'must be an ISO 3166-1 alpha-2 code', isCountryCode)
  country?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: 'GB-ENG',
    pattern: '^[A-Z]{2}-[A-Z0-9]{1,3}$',
    description: 'ISO 3166-2, of the same country: a `code` of its subdivisions. Needs `country`.',
  })
  @IsOptional()
  @IsText()
  subdivision?: string | null;
}

/** What is wrong between the fields of an address. */
export function addressViolations({ country, subdivision }: Partial<Address>): FieldError[] {
  if (typeof subdivision !== 'string') return [];
  if (typeof country === 'string' && isSubdivisionOf(country, subdivision)) return [];
  return [
    {
      field: 'address.subdivision',
      code: 'INVALID_VALUE',
      message: 'must be an ISO 3166-2 code of the address’s country',
    },
  ];
}
