import type { ApiClient } from '../../support/api/api-client';
import { register } from '../../support/api/consumers';
import {
  all,
  answerOf,
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

describe('a body that the service does not want', () => {
  let app: TestService;
  let client: ApiClient;
  let otpClient: ApiClient;

  beforeAll(async () => {
    app = await TestService.shared();
    client = await app.client();
    otpClient = await app.client({ authenticationMode: 'OTP' });
  });

  const answer = (raw: RawCase): Promise<RawAnswer> => answerOf(app.baseUrl, raw);
  const outcomes = <T>(cases: Record<string, RawCase>, read: (answer: RawAnswer) => T) =>
    outcomesOf(app.baseUrl, cases, read);

  it('closes the connection on a body that it will not read, so that nothing in it counts as a request', async () => {
    const smuggled = rawRequest('GET /health/live', HOST);
    const large = rawRequest('POST /api/v1/login', { ...HOST, ...withLength('', 10_000_000) }, smuggled.repeat(500));
    const unfinished = rawRequest('POST /api/v1/login', { ...HOST, ...CHUNKED }, chunked('{}') + smuggled);
    const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`a${index}`, '']));
    for (const [bytes, options] of [
      [large, {}],
      [unfinished, {}],
      [rawRequest('POST /api/v1/login', { ...HOST, ...CHUNKED }), ENDLESS],
      // Behind as many headers as fit.
      [rawRequest('POST /api/v1/login', { ...HOST, ...many, ...CHUNKED }), ENDLESS],
    ] as const) {
      const { answers, closed } = await sendRaw(app.baseUrl, bytes, { ...options, untilClosed: true });
      expect(closed).toBe(true);
      expect(answers.map(({ status, headers }) => [status, headers.connection])).toEqual([[401, 'close']]);
    }
  });

  it('lets a client that is busy sending a large body see the answer, every time', async () => {
    const body = 'x'.repeat(1_000_000);
    const statuses = new Set<number>();
    for (let round = 0; round < 25; round += 1) {
      for (const headers of [{}, client.headers]) {
        const response = await fetch(`${app.baseUrl}/api/v1/login`, { method: 'POST', headers, body });
        expect(await response.json()).toHaveProperty('code');
        statuses.add(response.status);
      }
    }
    expect(statuses).toEqual(new Set([401, 413]));
  });

  it('refuses a login at a one-time-code touchpoint without waiting for its body', async () => {
    const waiting = rawRequest('POST /api/v1/login', { ...HOST, ...otpClient.headers, ...withLength('', 10_000) });
    expect(statusAndCode(await answer(waiting))).toBe('403 LOGIN_METHOD_NOT_ALLOWED');
  });

  it('ignores the body of a GET and of a logout, whatever it holds', async () => {
    const bodies: Record<string, [headers: Record<string, string>, body: string]> = {
      'malformed JSON': [{ ...JSON_TYPE, ...withLength('{"a') }, '{"a'],
      'another type': [{ 'Content-Type': 'text/xml', 'Content-Encoding': 'br', ...withLength('<a/>') }, '<a/>'],
      'never sent': [withLength('', 10_000_000), ''],
      large: [withLength('', 200_000), 'x'.repeat(200_000)],
      unfinished: [CHUNKED, '5\r\nhello\r\n'],
    };
    const requests: Record<string, RawCase> = {};
    const expected: Record<string, string> = {};
    for (const [name, [headers, body]] of Object.entries(bodies)) {
      const { token } = await register(client);
      const common = { ...HOST, ...client.as(token).headers, ...headers };
      requests[`GET /me, ${name}`] = rawRequest('GET /api/v1/me', common, body);
      requests[`GET /countries, ${name}`] = rawRequest('GET /api/v1/reference/countries', common, body);
      Object.assign(expected, { [`GET /me, ${name}`]: '200', [`GET /countries, ${name}`]: '200' });
    }
    expect(await outcomes(requests, statusAndCode)).toEqual(expected);

    const logouts: Record<string, RawCase> = {};
    for (const [name, [headers, body]] of Object.entries(bodies)) {
      const { token } = await register(client);
      logouts[name] = rawRequest('POST /api/v1/logout', { ...HOST, ...client.as(token).headers, ...headers }, body);
    }
    expect(await outcomes(logouts, statusAndCode)).toEqual(all(logouts, '204'));
  });

  it('asks for a body that waits for 100 Continue only when it is going to read it', async () => {
    const expecting = { ...HOST, ...client.headers, ...JSON_TYPE, Expect: '100-continue', ...withLength('{}') };
    const { answers } = await sendRaw(app.baseUrl, rawRequest('POST /api/v1/login', expecting, '{}'));
    expect(answers.map(({ status }) => status)).toEqual([100, 400]);

    const unwanted = { ...HOST, ...client.headers, Expect: '100-continue', ...withLength('', 10) };
    const { answers: refusals } = await sendRaw(app.baseUrl, rawRequest('POST /api/v1/login', unwanted), {
      untilClosed: true,
    });
    expect(refusals.map(statusAndCode)).toEqual(['415 UNSUPPORTED_MEDIA_TYPE']);
  });
});
