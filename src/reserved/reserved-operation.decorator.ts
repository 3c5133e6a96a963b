import { applyDecorators, type Type } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiQuery, ApiResponse } from '@nestjs/swagger';
import { ApiProblems } from '../platform/http/api-problems.decorator';

interface FutureShape {
  summary: string;
  body?: Type;
  answer: [status: number, shape: Type | { $ref: string }, description: string];
}

/** Documents what a reserved route will take and answer when it goes live, and that it answers 501 today. */
export const ReservedOperation = ({ summary, body, answer }: FutureShape): MethodDecorator => {
  const [status, shape, text] = answer;
  const description = `Not before it is live. ${text}`;
  return applyDecorators(
    ApiOperation({
      summary,
      description:
        'Reserved: **always 501** `NOT_IMPLEMENTED` today, whatever is sent. The request and the success shown here are those of the day on which it goes live.',
    }),
    '$ref' in shape
      ? ApiResponse({ status, schema: shape, description })
      : ApiResponse({ status, type: shape, description }),
    ApiProblems('NOT_IMPLEMENTED'),
    ...(body ? [ApiBody({ type: body })] : []),
  );
};

/** A list in pages: `nextCursor` names the next page. */
export const Paged = (): MethodDecorator =>
  applyDecorators(
    ApiQuery({ name: 'cursor', required: false, type: String, description: 'The `nextCursor` of the page before.' }),
    ApiQuery({
      name: 'limit',
      required: false,
      description: 'How many at most.',
      schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    }),
  );
