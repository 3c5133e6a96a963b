import { IsOptional } from 'class-validator';
import type { FieldError } from '../platform/errors/api-error';
import { IsLine, IsText, TextRule, Trimmed } from '../platform/http/fields';
import { ApiPropertyOptional } from '../platform/openapi';
import { isCountryCode, isSubdivisionOf } from '../reference/iso-3166';
import type { Address } from './consumer.entity';

/** A postal address; every field may be absent. */
export class AddressDto {
  @ApiPropertyOptional({ type: String, nullable: true, maxLength: 200, example: '12 St James’s Square' })
  @IsOptional()
  @Trimmed()
  @IsLine(1, 200)
  line1?: string | null;

  @ApiPropertyOptional({ type: String, nullable: true, maxLength: 200, example: '2nd floor' })
  @IsOptional()
  @Trimmed()
  @IsLine(1, 200)
  line2?: string | null;

  @ApiPropertyOptional({ type: String, nullable: true, maxLength: 20, example: 'SW1Y 4JH' })
  @IsOptional()
  @Trimmed()
  @IsLine(1, 20)
  postalCode?: string | null;

  @ApiPropertyOptional({ type: String, nullable: true, maxLength: 100, example: 'London' })
  @IsOptional()
  @Trimmed()
  @IsLine(1, 100)
  city?: string | null;

  @ApiPropertyOptional({ type: String, nullable: true, example: 'GB', description: 'ISO 3166-1 alpha-2.' })
  @IsOptional()
  @IsText()
  @TextRule('INVALID_VALUE', 'must be an ISO 3166-1 alpha-2 code', isCountryCode)
  country?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: 'GB-ENG',
    description: 'ISO 3166-2, of the same country.',
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
