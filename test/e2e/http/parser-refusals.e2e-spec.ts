import { chunked, CHUNKED, HOST, statusAndCode, withLength } from '../../support/http/raw-cases';
import { type RawAnswer, rawRequest, sendRaw } from '../../support/http/raw-http';
import { TestService } from '../../support/service/test-service';

describe('what the HTTP parser of Node refuses', () => {
  let app: TestService;

  beforeAll(async () => {
    app = await TestService.shared();
  });

  const isProblem = ({ status, headers, body }: RawAnswer) => ({
    outcome: statusAndCode({ status, headers, body }),
    contentType: headers['content-type'],
    isTraceable: (JSON.parse(body) as { requestId: string }).requestId === headers['x-request-id'],
  });
  const problem = (outcome: string) => ({ outcome, contentType: 'application/problem+json', isTraceable: true });

  it('has the shape of every other error, and ends the connection', async () => {
    const cases: Record<string, [bytes: string, outcome: string]> = {
      'no HTTP': ['GARBAGE\r\n\r\n', '400 BAD_REQUEST'],
      'a bad chunk': [rawRequest('POST /api/v1/login', { ...HOST, ...CHUNKED }, 'xyz\r\n'), '400 BAD_REQUEST'],
      'a length beside chunks': [
        rawRequest('POST /api/v1/login', { ...HOST, ...CHUNKED, ...withLength('{}') }, chunked('{}')),
        '400 BAD_REQUEST',
      ],
      'a length beside a coding that is none': [
        rawRequest('POST /api/v1/login', ['Host: a', 'Content-Length: 0', 'Transfer-Encoding:']),
        '400 BAD_REQUEST',
      ],
      'another coding before chunks': [
        rawRequest('POST /api/v1/login', { ...HOST, 'Transfer-Encoding': 'gzip, chunked' }, chunked('{}')),
        '400 BAD_REQUEST',
      ],
      'a coding after chunks': [
        rawRequest(
          'POST /api/v1/login',
          ['Host: a', 'Transfer-Encoding: chunked', 'Transfer-Encoding:'],
          chunked('{}'),
        ),
        '400 BAD_REQUEST',
      ],
      'two lengths': [
        rawRequest('POST /api/v1/login', ['Host: a', 'Content-Length: 2', 'Content-Length: 3'], '{}'),
        '400 BAD_REQUEST',
      ],
      'a NUL in a header': [rawRequest('GET /api/v1/me', { ...HOST, 'X-A': 'a\0b' }), '400 BAD_REQUEST'],
      'a space before the colon': [rawRequest('GET /api/v1/me', ['Host : a']), '400 BAD_REQUEST'],
      'headers of more than 16 KiB': [
        rawRequest('GET /api/v1/me', { ...HOST, 'X-A': 'a'.repeat(16 * 1024) }),
        '431 HEADERS_TOO_LARGE',
      ],
      'headers of 1 MB': [
        rawRequest('GET /api/v1/me', { ...HOST, 'X-A': 'a'.repeat(1_000_000) }),
        '431 HEADERS_TOO_LARGE',
      ],
    };
    for (const [name, [bytes, outcome]] of Object.entries(cases)) {
      const { answers } = await sendRaw(app.baseUrl, bytes, { untilClosed: true });
      expect({ [name]: answers.map(isProblem) }).toEqual({ [name]: [problem(outcome)] });
    }
  });

  it('does not include headers of just less than 16 KiB', async () => {
    const bytes = rawRequest('GET /api/v1/me', { ...HOST, Connection: 'close', 'X-A': 'a'.repeat(16 * 1024 - 100) });
    const { answers } = await sendRaw(app.baseUrl, bytes, { untilClosed: true });
    expect(answers.map(({ status }) => status)).toEqual([401]);
  });
});
