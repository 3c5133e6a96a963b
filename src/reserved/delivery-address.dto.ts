import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';

/** Where a reward or a prize is sent. */
@ApiSchema({ description: 'Where a reward or a prize is sent.' })
export class DeliveryAddressDto {
  @ApiProperty({ maxLength: 200, example: 'Ada Lovelace', description: 'Who receives it.', minLength: 1 })
  name: string;

  @ApiProperty({
    maxLength: 200,
    example: '12 St James’s Square',
    description: 'Street and house number.',
    minLength: 1,
  })
  line1: string;

  @ApiPropertyOptional({
    maxLength: 200,
    example: '2nd floor',
    description: 'Floor, apartment or company.',
    minLength: 1,
  })
  line2?: string;

  @ApiProperty({ maxLength: 20, example: 'SW1Y 4JH', description: 'As written in that country.', minLength: 1 })
  postalCode: string;

  @ApiProperty({ maxLength: 100, example: 'London', description: 'City or town.', minLength: 1 })
  city: string;

  @ApiProperty({ pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2.', example: 'GB' })
  country: string;
}
