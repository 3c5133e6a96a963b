import { applyDecorators, UseInterceptors } from '@nestjs/common';
import { ApiConsumes } from '../openapi';
import { ApiProblems } from './api-problems.decorator';
import { JsonBodyInterceptor } from './json-body.interceptor';

/** The route takes a JSON object; the body of any other route is ignored. */
export const ReadsJson = (...mediaTypes: string[]): MethodDecorator =>
  applyDecorators(
    UseInterceptors(JsonBodyInterceptor),
    ApiConsumes('application/json', ...mediaTypes),
    ApiProblems('MALFORMED_JSON', 'VALIDATION_FAILED', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'),
  );
