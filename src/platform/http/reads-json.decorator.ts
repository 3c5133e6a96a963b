import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiConsumes } from '@nestjs/swagger';
import { ApiProblems } from './api-problems.decorator';

export const READS_JSON = 'reads-json';

/** The route takes a JSON object; the body of any other route is ignored. */
export const ReadsJson = (...mediaTypes: string[]): MethodDecorator =>
  applyDecorators(
    SetMetadata(READS_JSON, true),
    ApiConsumes('application/json', ...mediaTypes),
    ApiProblems('MALFORMED_JSON', 'VALIDATION_FAILED', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'),
  );
