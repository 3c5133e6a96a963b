import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';

/** One page of a list. */
@ApiSchema({ description: 'One page of a list.' })
export class PageDto {
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'eyJhZnRlciI6MjB9',
    description: 'Names the next page; null on the last.',
    minLength: 1,
    maxLength: 512,
  })
  nextCursor: string | null;
}

/** Which page of a search is wanted. */
@ApiSchema({ description: 'Which page of a search is wanted.' })
export class PageQueryDto {
  @ApiPropertyOptional({ description: 'The `nextCursor` of the page before.', minLength: 1, maxLength: 512 })
  cursor?: string;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: 100,
    default: 20,
    example: 20,
    description: 'How many entries a page has at most.',
  })
  limit?: number;
}
