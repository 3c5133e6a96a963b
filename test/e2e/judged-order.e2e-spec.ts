import { once } from 'node:events';
import type { Server } from 'node:http';
import { METHODS } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { SERVICE_ORIGIN } from '../../src/platform/audit/origin';
import type { ApiAdapter } from '../../src/platform/http/api-adapter';
import { newTouchpointKey } from '../../src/touchpoints/touchpoint-key';
import { AuthenticationMode } from '../../src/touchpoints/touchpoint.entity';
import type { ApiClient } from '../support/api-client';
import { register } from '../support/consumers';
import { answerTo, rawRequest, type RawAnswer, type RawOptions, sendRaw } from '../support/raw-http';
import { TestApp } from '../support/test-app';
import { refusalOf, TOUCHPOINT_REFUSAL } from '../support/touchpoint-credential';

const CODE = 'X-Touchpoint-Code';
const KEY = 'X-Touchpoint-Key';
const HOST = { Host: 'api.example.com' };
const JSON_TYPE = { 'Content-Type': 'application/json' };

/** A request to be sent as it is, and what is sent after it. */
type RawCase = string | [bytes: string, options: RawOptions];

const withLength = (body: string, length = Buffer.byteLength(body)) => ({ 'Content-Length': String(length) });
const chunked = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
const CHUNKED = { 'Transfer-Encoding': 'chunked' };
const ENDLESS: RawOptions = { endless: Buffer.from(`2000\r\n${'x'.repeat(0x2000)}\r\n`) };

/** Every method that Node's parser knows but CONNECT, whose target is no path. */
const ALL_METHODS = METHODS.filter((method) => method !== 'CONNECT');

const OTHER_SPELLINGS = [
  '/API/v1/me',
  '/api/V1/me',
  '/api/v1/ME',
  '//api/v1/me',
  '/api//v1/me',
  '/api/v1/me/',
  '/api/v1/me//',
  '/api/v1/./me',
  '/api/v1/x/../me',
  '/%61pi/v1/me',
  '/api/v1/%6de',
  '/api%2Fv1%2Fme',
  '/api/v1/me%00',
  '/api/v1/me%20',
  '/api/v1/me;x=1',
  '/api\\v1\\me',
  '/api/v1/me#',
  '/api\\v1\\me#',
  '/api/v1/me?x#',
  'http://api.example.com/api\\v1\\me',
  'http://api.example.com//api/v1/me',
  '/api/v1/%zz',
  '/api/v1/%',
  '/api/v1/%c0%af',
  '/api/v1/reference/countries/%zz/subdivisions',
  '/api/v1/activities/mileage/%zz',
  '/api/v1',
  '/api/v1/',
  '/',
  '*',
];

describe('the order in which a request is judged', () => {
  let app: TestApp;
  let client: ApiClient;
  let otpClient: ApiClient;
  let exhausted: ApiClient;
  let disabled: ApiClient;

  beforeAll(async () => {
    app = await TestApp.start();
    client = await app.client();
    otpClient = await app.client({ authenticationMode: AuthenticationMode.OneTimeCode });
    exhausted = await app.client({ rateLimit: { limit: 1, seconds: 3600 } });
    await exhausted.get('/api/v1/reference/countries');
    disabled = await app.client();
    await app.touchpoints.update(disabled.headers[CODE] ?? '', { enabled: false }, SERVICE_ORIGIN);
  });
  afterAll(() => app.close());

  const answer = (raw: RawCase): Promise<RawAnswer> =>
    typeof raw === 'string' ? answerTo(app.baseUrl, raw) : answerTo(app.baseUrl, ...raw);

  /** What each request was told, by the request's name. */
  async function outcomes<T>(
    cases: Record<string, RawCase>,
    read: (answer: RawAnswer) => T,
  ): Promise<Record<string, T>> {
    const entries = Object.entries(cases).map(async ([name, raw]) => [name, read(await answer(raw))] as const);
    return Object.fromEntries(await Promise.all(entries));
  }

  const statusAndCode = ({ status, body }: RawAnswer) =>
    status < 400 || body === '' ? `${status}` : `${status} ${(JSON.parse(body) as { code: string }).code}`;

  const all = <T>(cases: Record<string, RawCase>, outcome: T): Record<string, T> =>
    Object.fromEntries(Object.keys(cases).map((name) => [name, outcome]));

  describe('without a good touchpoint credential', () => {
    it('answers the same 401 whatever the body is, and however much of it there is', async () => {
      const large = 'x'.repeat(200_000);
      const login = (headers: Record<string, string>, body = '') =>
        rawRequest('POST /api/v1/login', { ...HOST, ...JSON_TYPE, ...headers }, body);
      const cases: Record<string, RawCase> = {
        'malformed JSON': login(withLength('{"a"'), '{"a"'),
        'a body of 200 KB': login(withLength(large), large),
        '10 MB declared and never sent': login(withLength('', 10_000_000)),
        'an endless chunked body': [login(CHUNKED), ENDLESS],
        'a wrong media type': login({ 'Content-Type': 'text/xml', ...withLength('<a/>') }, '<a/>'),
        'a content encoding': login({ 'Content-Encoding': 'gzip', ...withLength('\x1f\x8b') }, '\x1f\x8b'),
        'a body that arrives only with 100-continue': login({ Expect: '100-continue', ...withLength('', 2) }),
        'an unknown expectation': login({ Expect: 'x', ...withLength('{}') }, '{}'),
      };
      expect(await outcomes(cases, refusalOf)).toEqual(all(cases, TOUCHPOINT_REFUSAL));
    });

    it('answers the same 401 at every address, known, unknown or reserved, however it is spelled', async () => {
      const targets = [
        ...OTHER_SPELLINGS,
        '/api/v1/me',
        '/api/v1/me?x=%zz',
        '/api/v1/nothing',
        '/api/v1/login/otp/request',
        '/api/v1/activities/mileage/7/cart',
        '/api/v1/reference/countries/XX/subdivisions',
        'http://api.example.com/api/v1/me',
        'http://[/api/v1/me',
        'x://h',
        '/docs/nothing',
        '/health',
        '/nothing',
      ];
      const cases = Object.fromEntries(targets.map((target) => [target, rawRequest(`GET ${target}`, HOST)]));
      expect(await outcomes(cases, refusalOf)).toEqual(all(cases, TOUCHPOINT_REFUSAL));
    });

    it('answers the same 401 to every method', async () => {
      const paths = ['/api/v1/me', '/api/v1/nothing', '/api/v1/login/otp/verify', '/docs', '*'];
      const requests = paths.flatMap((path) => ALL_METHODS.map((method) => `${method} ${path}`));
      const withBody = requests.filter((line) => !line.startsWith('HEAD ') && !/^(GET|M-SEARCH) \/docs/.test(line));
      const cases = Object.fromEntries(withBody.map((line) => [line, rawRequest(line, HOST)]));
      expect(await outcomes(cases, refusalOf)).toEqual(all(cases, TOUCHPOINT_REFUSAL));

      const head = await answer(rawRequest('HEAD /api/v1/me', HOST));
      expect(head).toMatchObject({ status: 401, body: '' });
      expect(head.headers['www-authenticate']).toBe(TOUCHPOINT_REFUSAL.challenge);
    });

    it('never says what is wrong with the credential', async () => {
      const { [CODE]: code = '', [KEY]: key = '' } = client.headers;
      const me = (headers: string[]) => rawRequest('GET /api/v1/me', ['Host: api.example.com', ...headers]);
      const cases: Record<string, RawCase> = {
        'no credential': me([]),
        'no code': me([`${KEY}: ${key}`]),
        'no key': me([`${CODE}: ${code}`]),
        'empty headers': me([`${CODE}:`, `${KEY}:`]),
        'an unknown touchpoint': me([`${CODE}: nobody`, `${KEY}: ${key}`]),
        'a code in capitals': me([`${CODE}: ${code.toUpperCase()}`, `${KEY}: ${key}`]),
        'a code that is no code': me([`${CODE}: ' OR 1=1 --`, `${KEY}: ${key}`]),
        'a key that is none': me([`${CODE}: ${code}`, `${KEY}: secret`]),
        'a key that nobody has': me([`${CODE}: ${code}`, `${KEY}: ${newTouchpointKey()}`]),
        'the key with a wrong checksum': me([`${CODE}: ${code}`, `${KEY}: ${key.slice(0, -6)}AAAAAA`]),
        "another touchpoint's key": me([`${CODE}: ${code}`, `${KEY}: ${otpClient.headers[KEY]}`]),
        'the code twice': me([`${CODE}: ${code}`, `${CODE}: ${code}`, `${KEY}: ${key}`]),
        'the key twice': me([`${CODE}: ${code}`, `${KEY}: ${key}`, `${KEY}: ${key}`]),
        'a good key beside a bad one': me([`${CODE}: ${code}`, `${KEY}: ${key}`, `${KEY}: x`]),
        'both in one header': me([`${CODE}: ${code}, ${code}`, `${KEY}: ${key}, ${key}`]),
        'bytes above ASCII': me([`${CODE}: ${code}\xff`, `${KEY}: ${key}`]),
        'a disabled touchpoint': me(Object.entries(disabled.headers).map((header) => header.join(': '))),
        'a wrong key while the limit is exhausted': me([
          `${CODE}: ${exhausted.headers[CODE]}`,
          `${KEY}: ${newTouchpointKey()}`,
        ]),
        'the credential in a cookie': me([`Cookie: ${CODE}=${code}; ${KEY}=${key}`]),
        'the credential as Basic': me([`Authorization: Basic ${Buffer.from(`${code}:${key}`).toString('base64')}`]),
        'a bad token': me(['Authorization: Bearer x.y.z']),
      };
      expect(await outcomes(cases, refusalOf)).toEqual(all(cases, TOUCHPOINT_REFUSAL));
    });

    it('does not let a good customer token stand in for it', async () => {
      const { token } = await register(client);
      const refused = await answer(rawRequest('GET /api/v1/me', { ...HOST, Authorization: `Bearer ${token}` }));
      expect(refusalOf(refused)).toEqual(TOUCHPOINT_REFUSAL);
    });

    it('says nothing before the 401, not even 100 Continue, and needs no Host to say it', async () => {
      const expecting = { ...HOST, Expect: '100-continue', ...withLength('', 5) };
      const { answers } = await sendRaw(app.baseUrl, rawRequest('POST /api/v1/login', expecting), {
        untilClosed: true,
      });
      expect(answers.map(refusalOf)).toEqual([TOUCHPOINT_REFUSAL]);
      expect(refusalOf(await answer(rawRequest('GET /api/v1/me')))).toEqual(TOUCHPOINT_REFUSAL);
    });

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

    it('refuses any request that can be thought of', async () => {
      const { token } = await register(client);
      await fc.assert(
        fc.asyncProperty(strangeRequest(client.headers, token), async ({ line, headers, body }) => {
          const received = await answer(rawRequest(line, headers, body));
          if (line.startsWith('HEAD ')) expect(received).toMatchObject({ status: 401, body: '' });
          else expect(refusalOf(received)).toEqual(TOUCHPOINT_REFUSAL);
        }),
        { numRuns: 600 },
      );
    });
  });

  describe('with a touchpoint credential', () => {
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

    it('refuses a login at a one-time-code touchpoint without waiting for its body', async () => {
      const waiting = rawRequest('POST /api/v1/login', { ...HOST, ...otpClient.headers, ...withLength('', 10_000) });
      expect(statusAndCode(await answer(waiting))).toBe('403 LOGIN_METHOD_NOT_ALLOWED');
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

    it('keeps the connection for the next request when it has read the body of this one', async () => {
      const headers = { ...HOST, ...client.headers, ...JSON_TYPE, ...CHUNKED };
      const twice = rawRequest('POST /api/v1/login', headers, chunked('{}')).repeat(2);
      const { answers } = await sendRaw(app.baseUrl, twice + rawRequest('GET /x', { Connection: 'close' }), {
        untilClosed: true,
      });
      expect(answers.map(({ status }) => status)).toEqual([400, 400, 401]);
    });
  });

  describe('requests that follow on one connection', () => {
    const countries = () => rawRequest('GET /api/v1/reference/countries', { ...HOST, ...client.headers });

    it('are answered one after the other, in their order', async () => {
      const login = rawRequest(
        'POST /api/v1/login',
        { ...HOST, ...client.headers, ...JSON_TYPE, ...withLength('{}') },
        '{}',
      );
      const last = rawRequest('GET /x', { Connection: 'close' });
      const bytes = (login + countries()).repeat(20) + last;
      const { answers } = await sendRaw(app.baseUrl, bytes, { untilClosed: true });
      expect(answers.map(({ status }) => status)).toEqual([
        ...Array.from({ length: 20 }, () => [400, 200]).flat(),
        401,
      ]);
    });

    it('are not performed after one whose answer ends the connection', async () => {
      const { token } = await register(client);
      const consumer = client.as(token);
      const logout = rawRequest('POST /api/v1/logout', { ...HOST, ...consumer.headers, ...withLength('') });
      for (const target of ['/api/v1/none', '/api/v1/reference/countries', '/health/live']) {
        const unread = rawRequest(`POST ${target}`, { ...HOST, ...client.headers, ...CHUNKED }, chunked('{}') + logout);
        const { answers } = await sendRaw(app.baseUrl, unread, { untilClosed: true });
        expect(answers).toHaveLength(1);
      }
      const closing = rawRequest('GET /health/live', { ...HOST, Connection: 'close' }) + logout;
      expect((await sendRaw(app.baseUrl, closing, { untilClosed: true })).answers).toHaveLength(1);
      expect((await consumer.get('/api/v1/me')).status).toBe(200);
    });

    it('are not taken in without bound while the first has no answer', async () => {
      const { closed } = await sendRaw(app.baseUrl, countries().repeat(2000), { untilClosed: true });
      expect(closed).toBe(true);
    });

    it('leave nothing behind when their client goes before they have had their turn', async () => {
      const { responses, sockets } = (app.nest.getHttpAdapter() as unknown as ApiAdapter).open;
      const { hostname, port } = new URL(app.baseUrl);
      const before = sockets.size;
      for (let round = 0; round < 5; round += 1) {
        const socket = connect(Number(port), hostname);
        socket.write(countries().repeat(50));
        await once(socket, 'data');
        socket.destroy();
        while (sockets.size > before) await sleep(5);
      }
      expect(responses.size).toBe(0);
    });
  });

  describe("what Node's parser refuses", () => {
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

    it('includes what takes longer than the documented times', () => {
      expect(app.nest.getHttpServer()).toMatchObject({
        ...{ headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 65_000 },
      });
    });

    it('includes a request that does not arrive in time', async () => {
      (app.nest.getHttpServer() as Server).headersTimeout = 1_000;
      const { answers } = await sendRaw(app.baseUrl, 'GET /api/v1/me HTTP/1.1\r\nHost: a\r\n', { untilClosed: true });
      expect(answers.map(isProblem)).toEqual([problem('408 REQUEST_TIMEOUT')]);
    });
  });
});

/** Any method at any path with any headers and body, and every credential but a good one. */
function strangeRequest({ [CODE]: code = '', [KEY]: key = '' }: Record<string, string>, token: string) {
  const visible = fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((point) => String.fromCharCode(point)) });
  const headerText = fc.string({
    unit: fc.integer({ min: 0x20, max: 0xff }).map((point) => String.fromCharCode(point === 0x7f ? 0x20 : point)),
    maxLength: 30,
  });
  const route = fc.constantFrom(
    '/api/v1/register',
    '/api/v1/login',
    '/api/v1/me',
    '/api/v1/logout',
    '/api/v1/password/change',
    '/api/v1/reference/countries',
    '/api/v1/reference/countries/DE/subdivisions',
    '/api/v1/login/otp/request',
    '/api/v1/activities/mileage/1/history',
    '/api/v1/nothing',
    '/api/v1',
  );
  const respelled = fc.tuple(route, fc.nat(), visible).map(([path, at, junk]) => {
    const index = 1 + (at % (path.length - 1));
    const percent = `%${path.charCodeAt(index).toString(16)}`;
    const spellings = [
      path.toUpperCase(),
      path.slice(0, index) + percent + path.slice(index + 1),
      path.slice(0, index) + junk + path.slice(index),
      path.replaceAll('/', '//'),
      path.replaceAll('/', '\\').replace('\\', '/'),
      `${path}/`,
      `${path}?${junk}`,
      `${path}#${junk}`,
      `/x/..${path}`,
      `/health/..${path}`,
      `/docs/..%2f${path}`,
      `http://api.example.com${path}`,
    ];
    return spellings[at % spellings.length] ?? path;
  });
  const target = fc.oneof(
    { weight: 3, arbitrary: route },
    { weight: 3, arbitrary: respelled },
    { weight: 1, arbitrary: visible.map((text) => `/api/v1/${text}`) },
  );
  const credential = fc.constantFrom(
    [],
    [`${CODE}: ${code}`],
    [`${KEY}: ${key}`],
    [`${CODE}:`, `${KEY}:`],
    [`${CODE}: ${code}`, `${KEY}: ${newTouchpointKey()}`],
    [`${CODE}: ${code}`, `${KEY}: ${key.toLowerCase()}`],
    [`${CODE}: ${code}`, `${KEY}: ${key}`, `${CODE}: ${code}`],
    [`${CODE}: ${code}`, `${KEY}: ${key}`, `${KEY}: ${key}`],
    [`${CODE}: ${code}x`, `${KEY}: ${key}`],
    [`${CODE}: constructor`, `${KEY}: ${key}`],
    [`X_Touchpoint_Code: ${code}`, `X_Touchpoint_Key: ${key}`],
  );
  const extra = fc.subarray([
    'Host: api.example.com',
    'Host: localhost',
    `Authorization: Bearer ${token}`,
    'Authorization: Basic Zm9vOmJhcg==',
    'X-Forwarded-For: 127.0.0.1',
    'X-Original-URL: /health/live',
    'X-HTTP-Method-Override: GET',
    'Expect: 100-continue',
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Connection: close',
    'Origin: https://example.com',
    'Access-Control-Request-Method: GET',
    'If-None-Match: *',
    'Range: bytes=0-1',
    'Content-Type: application/json',
    'Content-Encoding: gzip',
  ]);
  const payload = fc.oneof(
    fc.constant({ framing: [] as string[], body: '' }),
    headerText.map((body) => ({ framing: [`Content-Length: ${body.length}`], body })),
    headerText.map((body) => ({ framing: [`Content-Length: ${body.length + 50_000}`], body })),
    headerText.map((body) => ({ framing: ['Transfer-Encoding: chunked'], body: body === '' ? '' : chunked(body) })),
    fc.constant({ framing: ['Content-Length: 30000'], body: '{'.repeat(30_000) }),
  );
  return fc
    .record({ method: fc.constantFrom(...ALL_METHODS), target, credential, extra, custom: headerText, payload })
    .map(({ method, target, credential, extra, custom, payload: { framing, body } }) => ({
      line: `${method} ${target}`,
      headers: [...extra, ...credential, `X-Custom: ${custom}`, ...framing],
      body,
    }));
}
