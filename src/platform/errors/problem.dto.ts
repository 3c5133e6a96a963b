import { ApiProperty, ApiPropertyOptional } from '../openapi';
import type { FieldError } from './api-error';
import { ERROR_CATALOG, FIELD_ERROR_CODES, type FieldErrorCode } from './error-catalog';
import type { Problem } from './problem';

class FieldErrorDto implements FieldError {
  @ApiProperty({ description: 'Where in the body, or which header.', example: 'address.country' })
  field: string;

  @ApiProperty({ enum: FIELD_ERROR_CODES, enumName: 'FieldErrorCode' })
  code: FieldErrorCode;

  @ApiProperty({ description: 'For people.', example: 'must be an ISO 3166-1 alpha-2 code' })
  message: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: ['string', 'number'] as never },
    description: 'The limits that were broken.',
  })
  params?: Record<string, string | number>;
}

/** The shape of every error, as the OpenAPI document shows it (RFC 9457). */
export class ProblemDto implements Problem {
  @ApiProperty({ format: 'uri-reference', example: '/docs/errors/VALIDATION_FAILED' })
  type: string;

  @ApiProperty({ description: 'For people.' })
  title: string;

  @ApiProperty({ example: 400 })
  status: number;

  @ApiProperty({
    enum: Object.keys(ERROR_CATALOG),
    enumName: 'ErrorCode',
    description: 'For programs: it never changes.',
  })
  code: string;

  @ApiPropertyOptional({ description: 'For people.' })
  detail?: string;

  @ApiProperty({ description: 'The same as in `X-Request-Id`.' })
  requestId: string;

  @ApiPropertyOptional({
    type: [FieldErrorDto],
    description:
      'With `VALIDATION_FAILED`: all violations at once. With `IDENTIFIER_TAKEN`: each address that another consumer has, as `IN_USE`.',
  })
  errors?: FieldError[];
}
