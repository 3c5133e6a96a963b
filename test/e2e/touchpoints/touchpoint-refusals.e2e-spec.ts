import fc from 'fast-check';
import type { ApiClient } from '../../support/api/api-client';
import { register } from '../../support/api/consumers';
import {
  all,
  answerOf,
  ALL_METHODS,
  CHUNKED,
  CODE,
  ENDLESS,
  HOST,
  JSON_TYPE,
  KEY,
  OTHER_SPELLINGS,
  outcomesOf,
  type RawCase,
  withLength,
} from '../../support/http/raw-cases';
import { type RawAnswer, rawRequest, sendRaw } from '../../support/http/raw-http';
import { strangeRequest } from '../../support/http/strange-request';
import { refusalOf, TOUCHPOINT_REFUSAL } from '../../support/api/touchpoint-credential';
import { TestService } from '../../support/service/test-service';

describe('a request without a good touchpoint credential', () => {
  let app: TestService;
  let client: ApiClient;
  let otpClient: ApiClient;
  let exhausted: ApiClient;
  let disabled: ApiClient;
  /** One that a touchpoint had, and nobody has. */
  let formerKey: string;

  beforeAll(async () => {
    app = await TestService.shared();
    client = await app.client();
    otpClient = await app.client({ authenticationMode: 'OTP' });
    exhausted = await app.client({ rateLimit: '1/3600' });
    await exhausted.get('/api/v1/reference/countries');
    disabled = await app.client();
    await app.administer('touchpoint', 'disable', disabled.headers[CODE] ?? '');
    const former = await app.client();
    formerKey = former.headers[KEY] ?? '';
    await app.administer('touchpoint', 'rotate-key', former.headers[CODE] ?? '');
  });

  const answer = (raw: RawCase): Promise<RawAnswer> => answerOf(app.baseUrl, raw);
  const outcomes = <T>(cases: Record<string, RawCase>, read: (answer: RawAnswer) => T) =>
    outcomesOf(app.baseUrl, cases, read);

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
      'a key that nobody has': me([`${CODE}: ${code}`, `${KEY}: ${formerKey}`]),
      'the key with a wrong checksum': me([`${CODE}: ${code}`, `${KEY}: ${key.slice(0, -6)}AAAAAA`]),
      "another touchpoint's key": me([`${CODE}: ${code}`, `${KEY}: ${otpClient.headers[KEY]}`]),
      'the code twice': me([`${CODE}: ${code}`, `${CODE}: ${code}`, `${KEY}: ${key}`]),
      'the key twice': me([`${CODE}: ${code}`, `${KEY}: ${key}`, `${KEY}: ${key}`]),
      'a good key beside a bad one': me([`${CODE}: ${code}`, `${KEY}: ${key}`, `${KEY}: x`]),
      'both in one header': me([`${CODE}: ${code}, ${code}`, `${KEY}: ${key}, ${key}`]),
      'bytes above ASCII': me([`${CODE}: ${code}\xff`, `${KEY}: ${key}`]),
      'a disabled touchpoint': me(Object.entries(disabled.headers).map((header) => header.join(': '))),
      'a wrong key while the limit is exhausted': me([`${CODE}: ${exhausted.headers[CODE]}`, `${KEY}: ${formerKey}`]),
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
    for (const line of ['GET /api/v1/me', 'GET /docs/..%2f/api/v1/register']) {
      expect([line, refusalOf(await answer(rawRequest(line)))]).toEqual([line, TOUCHPOINT_REFUSAL]);
    }
  });

  it('refuses any request that can be thought of', async () => {
    const { token } = await register(client);
    await fc.assert(
      fc.asyncProperty(strangeRequest(client.headers, { formerKey, token }), async ({ line, headers, body }) => {
        const received = await answer(rawRequest(line, headers, body));
        if (line.startsWith('HEAD ')) expect(received).toMatchObject({ status: 401, body: '' });
        else expect(refusalOf(received)).toEqual(TOUCHPOINT_REFUSAL);
      }),
      { numRuns: 600 },
    );
  });
});
