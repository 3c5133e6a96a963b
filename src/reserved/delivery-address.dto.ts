import { ApiProperty, ApiPropertyOptional } from '../platform/openapi';

/** Where a reward or a prize is sent. */
export class DeliveryAddressDto {
  @ApiProperty({ maxLength: 200, example: 'Ada Lovelace' })
  name: string;

  @ApiProperty({ maxLength: 200, example: '12 St James’s Square' })
  line1: string;

  @ApiPropertyOptional({ maxLength: 200, example: '2nd floor' })
  line2?: string;

  @ApiProperty({ maxLength: 20, example: 'SW1Y 4JH' })
  postalCode: string;

  @ApiProperty({ maxLength: 100, example: 'London' })
  city: string;

  @ApiProperty({ pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2.', example: 'GB' })
  country: string;
}
