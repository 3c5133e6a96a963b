import { applyDecorators, type Type, UseInterceptors } from '@nestjs/common';
import { ApiBody, ApiConsumes } from '@nestjs/swagger';
import { ApiProblems } from '../api-problems.decorator';
import { JsonBodyInterceptor } from './json-body.interceptor';

/** The route takes a JSON object, of which it knows the fields of `Body`; the body of any other route is ignored. */
export const ReadsJson = (Body: Type, ...mediaTypes: string[]): MethodDecorator =>
  applyDecorators(
    UseInterceptors(new JsonBodyInterceptor(Body)),
    ApiBody({ type: Body }),
    ApiConsumes('application/json', ...mediaTypes),
    ApiProblems('MALFORMED_JSON', 'VALIDATION_FAILED', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'),
  );
