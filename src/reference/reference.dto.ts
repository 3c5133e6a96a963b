import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import type { Country, Subdivision } from './iso-3166';

/** A country of ISO 3166-1. */
@ApiSchema({ description: 'A country of ISO 3166-1.' })
export class CountryDto implements Country {
  @ApiProperty({ example: 'DE', pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2 code' })
  readonly code: string;

  @ApiProperty({ example: 'Germany', description: 'Name in the language that `Content-Language` tells', minLength: 1 })
  readonly name: string;
}

/** A subdivision of ISO 3166-2, at any of its levels. */
@ApiSchema({ description: 'A part of a country, of any level of ISO 3166-2.' })
export class SubdivisionDto implements Subdivision {
  @ApiProperty({ example: 'DE-BY', pattern: '^[A-Z]{2}-[A-Z0-9]{1,3}$', description: 'ISO 3166-2 code' })
  readonly code: string;

  @ApiProperty({ example: 'Bayern', description: 'Name in a language of the country', minLength: 1 })
  readonly name: string;
}
