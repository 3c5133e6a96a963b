import type { ApiClient } from '../../support/api/api-client';
import { register } from '../../support/api/consumers';
import {
  all,
  chunked,
  CHUNKED,
  ENDLESS,
  HOST,
  JSON_TYPE,
  outcomesOf,
  type RawCase,
  statusAndCode,
  withLength,
} from '../../support/http/raw-cases';
import { type RawAnswer, rawRequest, sendRaw } from '../../support/http/raw-http';
import { TestService } from '../../support/service/test-service';

describe('the body of a request', () => {
  let app: TestService;
  let client: ApiClient;

  beforeAll(async () => {
    app = await TestService.shared();
    client = await app.client();
  });

  const outcomes = <T>(cases: Record<string, RawCase>, read: (answer: RawAnswer) => T) =>
    outcomesOf(app.baseUrl, cases, read);

  it('takes a JSON object in UTF-8 that every reader understands alike, and nothing else', async () => {
    const login = (body: string | Buffer, headers: Record<string, string> = JSON_TYPE) => {
      const bytes = Buffer.from(body).toString('latin1');
      return rawRequest(
        'POST /api/v1/login',
        { ...HOST, ...client.headers, ...headers, 'Content-Length': String(bytes.length) },
        bytes,
      );
    };
    const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    const malformed: Record<string, RawCase> = {
      'half an object': login('{"identifier":'),
      'single quotes': login("{'a':1}"),
      'two values': login('{}{}'),
      'an array': login('[]'),
      'a string': login('"{}"'),
      null: login('null'),
      'an empty body': login(''),
      'an empty chunked body': rawRequest(
        'POST /api/v1/login',
        { ...HOST, ...client.headers, ...JSON_TYPE, ...CHUNKED },
        '0\r\n\r\n',
      ),
      'white space': login('  '),
      'a byte order mark': login('\uFEFF{}'),
      'UTF-16': login(Buffer.from('{}', 'utf16le')),
      'invalid UTF-8': login(Buffer.from([...Buffer.from('{"identifier":"'), 0xc3, 0x28, ...Buffer.from('"}')])),
      'a lone surrogate': login('{"identifier":"\\ud800"}'),
      'a lone surrogate as bytes': login(Buffer.from('7b2261223a22eda080227d', 'hex')),
      'an escaped NUL': login('{"identifier":"\\u0000"}'),
      'a NUL in a key': login('{"\\u0000":1}'),
      'a key twice': login('{"identifier":"a","identifier":"b"}'),
      'a key twice, once escaped': login('{"identifier":"a","\\u0069dentifier":"b"}'),
      'a key twice, deep within': login('{"a":[{"b":1,"b":2}]}'),
      'a depth of 33': login(nested(33)),
    };
    expect(await outcomes(malformed, statusAndCode)).toEqual(all(malformed, '400 MALFORMED_JSON'));

    const unsupported: Record<string, RawCase> = {
      text: login('{}', { 'Content-Type': 'text/plain' }),
      'a form': login('identifier=a', { 'Content-Type': 'application/x-www-form-urlencoded' }),
      'a body without a type': login('{}', {}),
      'an unreadable type': login('{}', { 'Content-Type': 'json' }),
      'another JSON type': login('{}', { 'Content-Type': 'application/vnd.api+json' }),
      'a merge patch that is none': login('{}', { 'Content-Type': 'application/merge-patch+json' }),
      'another charset': login('{}', { 'Content-Type': 'application/json; charset=latin1' }),
      'an encoded body': login('{}', { ...JSON_TYPE, 'Content-Encoding': 'gzip' }),
      'an identity encoding': login('{}', { ...JSON_TYPE, 'Content-Encoding': 'identity' }),
    };
    expect(await outcomes(unsupported, statusAndCode)).toEqual(all(unsupported, '415 UNSUPPORTED_MEDIA_TYPE'));

    const understood: Record<string, RawCase> = {
      'no body and no type': rawRequest('POST /api/v1/login', { ...HOST, ...client.headers }),
      'a length of nothing': login('', {}),
      'an object': login('{}'),
      'a charset': login('{}', { 'Content-Type': 'Application/JSON; Charset="UTF-8"' }),
      'a depth of 32': login(nested(32)),
      '16 KiB': login(`{${' '.repeat(16 * 1024 - 2)}}`),
      'a chunked object': rawRequest(
        'POST /api/v1/login',
        { ...HOST, ...client.headers, ...JSON_TYPE, ...CHUNKED },
        chunked('{}'),
      ),
      'a number for a string': login('{"identifier":1,"password":true}'),
    };
    expect(await outcomes(understood, statusAndCode)).toEqual(all(understood, '400 VALIDATION_FAILED'));

    const tooLarge: Record<string, RawCase> = {
      '16 KiB and a byte': login(`{${' '.repeat(16 * 1024 - 1)}}`),
      '10 MB declared': rawRequest('POST /api/v1/login', {
        ...HOST,
        ...client.headers,
        ...JSON_TYPE,
        ...withLength('', 10_000_000),
      }),
      endless: [rawRequest('POST /api/v1/login', { ...HOST, ...client.headers, ...JSON_TYPE, ...CHUNKED }), ENDLESS],
    };
    expect(await outcomes(tooLarge, statusAndCode)).toEqual(all(tooLarge, '413 PAYLOAD_TOO_LARGE'));
  });

  it('takes a merge patch for PATCH', async () => {
    const { token } = await register(client);
    const type = { 'Content-Type': 'application/merge-patch+json' };
    const patched = await client.as(token).patch('/api/v1/me', { firstName: 'Augusta' }, type);
    expect(patched).toMatchObject({ status: 200, body: { firstName: 'Augusta' } });
  });

  it('keeps the connection for the next request when it has read the body of this one', async () => {
    const headers = { ...HOST, ...client.headers, ...JSON_TYPE, ...CHUNKED };
    const twice = rawRequest('POST /api/v1/login', headers, chunked('{}')).repeat(2);
    const { answers } = await sendRaw(app.baseUrl, twice + rawRequest('GET /x', { Connection: 'close' }), {
      untilClosed: true,
    });
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 401]);
  });
});
