import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { ApiProblem, type PublishedCode } from 'consumer-service-client';

const problem = (code: string, more: object = {}) =>
  new ApiProblem(new Response(null, { status: 409, headers: { 'Retry-After': '7' } }), {
    ...({ code, requestId: 'r-1', detail: 'It is taken.' } as { code: PublishedCode }),
    ...more,
  });

describe('a problem', () => {
  it('is told by its code, which narrows its type', () => {
    const error: unknown = problem('IDENTIFIER_TAKEN');
    assert.ok(error instanceof ApiProblem);
    assert.ok(error.is('CODE_INVALID', 'IDENTIFIER_TAKEN'));
    const code: 'CODE_INVALID' | 'IDENTIFIER_TAKEN' = error.code;
    assert.equal(code, 'IDENTIFIER_TAKEN');
    assert.ok(!error.is('CODE_INVALID'));
    // @ts-expect-error A misspelt code does not compile.
    assert.ok(!error.is('IDENTIFIER_TAKEM'));
  });

  it('keeps the code of a newer service as it is', () => {
    const error = problem('FROM_THE_FUTURE');
    assert.equal(error.code, 'FROM_THE_FUTURE');
    assert.ok(!error.is('IDENTIFIER_TAKEN'));
  });

  it('knows every code that the API document publishes', () => {
    const file = new URL('../../../docs/openapi.json', import.meta.url);
    const document = JSON.parse(readFileSync(file, 'utf8')) as {
      components: { schemas: { ErrorCode: { enum: PublishedCode[] } } };
    };
    const codes = document.components.schemas.ErrorCode.enum;
    assert.ok(codes.length >= 42);
    for (const code of codes) assert.ok(problem(code).is(code));
  });

  it('tells the fields, the request, the wait, and says it all in its message', () => {
    const errors = [{ field: 'email', code: 'IN_USE', message: 'is in use' }];
    const error = problem('IDENTIFIER_TAKEN', { errors });
    assert.deepEqual([error.status, error.errors, error.requestId, error.retryAfter], [409, errors, 'r-1', 7]);
    assert.equal(`${error}`, 'ApiProblem: 409 IDENTIFIER_TAKEN: It is taken.');
  });
});
