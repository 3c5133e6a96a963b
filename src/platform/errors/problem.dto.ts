import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import type { FieldError } from './api-error';
import { ERROR_CATALOG, FIELD_ERROR_CODES, FIELD_ERRORS, type FieldErrorCode } from './error-catalog';
import type { Problem } from './problem';

/** A list in CommonMark. */
const FIELD_CODES = [
  'What can be wrong with a field:',
  ...FIELD_ERROR_CODES.map((code) => `- \`${code}\`: ${FIELD_ERRORS[code]}`),
].join('\n');

@ApiSchema({ description: 'What is wrong with one field.' })
class FieldErrorDto implements FieldError {
  @ApiProperty({ description: 'Where in the body, or which header.', example: 'address.country', minLength: 1 })
  field: string;

  @ApiProperty({
    enum: FIELD_ERROR_CODES,
    enumName: 'FieldErrorCode',
    description: FIELD_CODES,
  })
  code: FieldErrorCode;

  @ApiProperty({ description: 'For people.', example: 'must be an ISO 3166-1 alpha-2 code', minLength: 1 })
  message: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: ['string', 'number'] as never },
    description: 'The limits that were broken.',
  })
  params?: Record<string, string | number>;
}

/** The shape of every error, as the OpenAPI document shows it (RFC 9457). */
@ApiSchema({ description: 'Every answer from status 400 up (RFC 9457).' })
export class ProblemDto implements Problem {
  @ApiProperty({
    format: 'uri-reference',
    example: '/docs/errors/VALIDATION_FAILED',
    description: 'The page that explains the code.',
  })
  type: string;

  @ApiProperty({ description: 'For people.', minLength: 1 })
  title: string;

  @ApiProperty({
    example: 400,
    description: 'The same as the status of the answer.',
    type: 'integer',
    minimum: 400,
    maximum: 599,
  })
  status: number;

  @ApiProperty({
    enum: Object.keys(ERROR_CATALOG),
    enumName: 'ErrorCode',
    description: 'What went wrong, for programs. Each code has a page at `/docs/errors/{code}`; more may be added.',
  })
  code: string;

  @ApiPropertyOptional({ description: 'For people.', minLength: 1 })
  detail?: string;

  @ApiProperty({ description: 'The same as in `X-Request-Id`.', pattern: '^[A-Za-z0-9._-]{1,128}$' })
  requestId: string;

  @ApiPropertyOptional({
    type: [FieldErrorDto],
    description:
      'With `VALIDATION_FAILED`: all violations at once. With `IDENTIFIER_TAKEN`: each address that another consumer has, as `IN_USE`.',
  })
  errors?: FieldError[];
}
