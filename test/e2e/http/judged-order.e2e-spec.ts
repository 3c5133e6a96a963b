import type { ApiClient } from '../../support/api/api-client';
import { register } from '../../support/api/consumers';
import {
  all,
  answerOf,
  ALL_METHODS,
  HOST,
  OTHER_SPELLINGS,
  outcomesOf,
  type RawCase,
  statusAndCode,
  withLength,
} from '../../support/http/raw-cases';
import { type RawAnswer, rawRequest } from '../../support/http/raw-http';
import { TestService } from '../../support/service/test-service';

describe('a request with a touchpoint credential', () => {
  let app: TestService;
  let client: ApiClient;
  let otpClient: ApiClient;
  let exhausted: ApiClient;

  beforeAll(async () => {
    app = await TestService.shared();
    client = await app.client();
    otpClient = await app.client({ authenticationMode: 'OTP' });
    exhausted = await app.client({ rateLimit: '1/3600' });
    await exhausted.get('/api/v1/reference/countries');
  });

  const answer = (raw: RawCase): Promise<RawAnswer> => answerOf(app.baseUrl, raw);
  const outcomes = <T>(cases: Record<string, RawCase>, read: (answer: RawAnswer) => T) =>
    outcomesOf(app.baseUrl, cases, read);

  it('answers for the first thing that is wrong, in the order of the contract', async () => {
    const { token } = await register(client);
    const send = (
      { headers }: Pick<ApiClient, 'headers'>,
      line: string,
      body: string,
      { type = 'text/plain', bearer }: { type?: string; bearer?: string } = {},
    ) =>
      rawRequest(
        line,
        {
          ...HOST,
          ...headers,
          ...(bearer !== undefined && { Authorization: `Bearer ${bearer}` }),
          'Content-Type': type,
          ...withLength(body),
        },
        body,
      );
    const large = '['.repeat(200_000);
    const change = 'POST /api/v1/password/change';
    const json = { type: 'application/json', bearer: token };
    const cases: Record<string, RawCase> = {
      'everything is wrong': send({ headers: {} }, 'POST /api/v1/login/otp/request', large),
      'reserved, and the limit is exhausted': send(exhausted, 'POST /api/v1/login/otp/request', large),
      'limit exhausted, path unknown': send(exhausted, 'POST /api/v1/nothing', large),
      'limit exhausted, method wrong': send(exhausted, 'DELETE /api/v1/login/otp/request', large),
      'limit exhausted, no token': send(exhausted, change, large),
      'path unknown': send(otpClient, 'POST /api/v1/nothing', large),
      'method wrong': send(otpClient, 'PUT /api/v1/password/change', large),
      'no token': send(otpClient, change, large),
      'a bad token': send(otpClient, change, large, { bearer: 'a.b.c' }),
      'mode wrong': send(otpClient, change, large, { bearer: token }),
      'body too large': send(client, change, large, { bearer: token }),
      'type wrong': send(client, change, '[', { bearer: token }),
      'JSON malformed': send(client, change, '[', json),
      'fields missing': send(client, change, '{}', json),
    };
    expect(await outcomes(cases, statusAndCode)).toEqual({
      'everything is wrong': '401 TOUCHPOINT_UNAUTHORIZED',
      'reserved, and the limit is exhausted': '501 NOT_IMPLEMENTED',
      'limit exhausted, path unknown': '429 RATE_LIMITED',
      'limit exhausted, method wrong': '429 RATE_LIMITED',
      'limit exhausted, no token': '429 RATE_LIMITED',
      'path unknown': '404 NOT_FOUND',
      'method wrong': '405 METHOD_NOT_ALLOWED',
      'no token': '401 UNAUTHENTICATED',
      'a bad token': '401 UNAUTHENTICATED',
      'mode wrong': '403 PASSWORD_NOT_ALLOWED',
      'body too large': '413 PAYLOAD_TOO_LARGE',
      'type wrong': '415 UNSUPPORTED_MEDIA_TYPE',
      'JSON malformed': '400 MALFORMED_JSON',
      'fields missing': '400 VALIDATION_FAILED',
    });
  });

  it('knows each path in one spelling only', async () => {
    const { token } = await register(client);
    const headers = { ...HOST, ...client.as(token).headers };
    const cases = Object.fromEntries(OTHER_SPELLINGS.map((path) => [path, rawRequest(`GET ${path}`, headers)]));
    expect(await outcomes(cases, statusAndCode)).toEqual(all(cases, '404 NOT_FOUND'));

    const accepted = ['/api/v1/me', '/api/v1/me?x=%zz', 'http://api.example.com/api/v1/me'];
    const same = Object.fromEntries(accepted.map((path) => [path, rawRequest(`GET ${path}`, headers)]));
    expect(await outcomes(same, statusAndCode)).toEqual(all(same, '200'));
  });

  it('tells which methods a path takes', async () => {
    const paths: Record<string, string> = {
      '/api/v1/register': 'POST',
      '/api/v1/login': 'POST',
      '/api/v1/me': 'GET, HEAD, PATCH',
      '/api/v1/password/change': 'POST',
      '/api/v1/logout': 'POST',
      '/api/v1/reference/countries': 'GET, HEAD',
      '/api/v1/reference/countries/DE/subdivisions': 'GET, HEAD',
      '/api/v1/login/otp/verify': 'POST',
      '/api/v1/activities/mileage/7': 'GET, HEAD, POST',
      '/api/v1/activities/instant-win/7/play': 'GET, HEAD, POST',
      '/docs': 'GET, HEAD',
      '/openapi.json': 'GET, HEAD',
    };
    for (const [path, allowed] of Object.entries(paths)) {
      const refused = ALL_METHODS.filter((method) => !allowed.split(', ').includes(method) && method !== 'HEAD');
      const lines = Object.fromEntries(
        refused.map((method) => [method, rawRequest(`${method} ${path}`, { ...HOST, ...client.headers })]),
      );
      const told = await outcomes(lines, (received) => `${statusAndCode(received)} ${received.headers.allow}`);
      expect({ path, told }).toEqual({ path, told: all(lines, `405 METHOD_NOT_ALLOWED ${allowed}`) });
    }
    const head = await answer(rawRequest('HEAD /api/v1/login', { ...HOST, ...client.headers }));
    expect(head).toMatchObject({ status: 405, headers: { allow: 'POST' }, body: '' });
  });

  it('refuses other expectations and a missing Host in its own words', async () => {
    const cases: Record<string, RawCase> = {
      expectation: rawRequest('GET /api/v1/me', { ...HOST, ...client.headers, Expect: 'x' }),
      host: rawRequest('GET /api/v1/me', client.headers),
    };
    expect(await outcomes(cases, statusAndCode)).toEqual({
      expectation: '417 EXPECTATION_FAILED',
      host: '400 BAD_REQUEST',
    });
  });
});
