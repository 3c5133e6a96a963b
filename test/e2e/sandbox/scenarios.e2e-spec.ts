import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiClient } from '../../support/api/api-client';
import { newPerson, PASSWORD, type SessionBody } from '../../support/api/consumers';
import { TestService } from '../../support/service/test-service';

interface Response {
  $ref?: string;
  headers?: Record<string, unknown>;
  content?: Record<string, { examples?: Record<string, unknown> }>;
}

interface Document {
  paths: Record<string, Record<string, { responses: Record<string, Response> }>>;
  components: { responses: Record<string, Response> };
}

const document = JSON.parse(readFileSync(join(__dirname, '../../../docs/openapi.json'), 'utf8')) as Document;
const SCENARIO = 'X-Sandbox-Scenario';
const METHODS = ['get', 'post', 'patch', 'delete'];
const VALUES: Record<string, string> = { channel: 'email', country_code: 'DE' };

/** Their answers come before the limits are looked at. */
const BEFORE_LIMITS = ['TOUCHPOINT_UNAUTHORIZED', 'NOT_IMPLEMENTED', 'REQUEST_TIMEOUT', 'HEADERS_TOO_LARGE'];

/** To a request with a token. */
const CHALLENGES: Record<string, string> = {
  TOUCHPOINT_UNAUTHORIZED: 'Touchpoint realm="api"',
  UNAUTHENTICATED: 'Bearer realm="customer", error="invalid_token"',
  INVALID_CREDENTIALS: 'Bearer realm="customer"',
};

/** Each operation of the API with a status and a code that it can answer, or with a success. */
const documented = Object.entries(document.paths)
  .filter(([path]) => path.startsWith('/api/v1/'))
  .flatMap(([path, item]) =>
    METHODS.flatMap((method) =>
      Object.entries(item[method]?.responses ?? {}).flatMap(([status, listed]) => {
        const name = listed.$ref?.split('/').at(-1) ?? '';
        const { content = {}, headers = {} } = document.components.responses[name] ?? listed;
        const codes = Object.keys(content['application/problem+json']?.examples ?? { '': null });
        return codes.map((code) => ({
          ...{ method: method.toUpperCase(), path, status: Number(status), code },
          tellsLimits: 'RateLimit' in headers && !BEFORE_LIMITS.includes(code),
        }));
      }),
    ),
  );
const refusals = documented.filter(({ status }) => status >= 400);
const reserved = new Set(refusals.filter(({ code }) => code === 'NOT_IMPLEMENTED').map(lineOf));

function lineOf({ method, path }: { method: string; path: string }): string {
  return `${method} ${path}`;
}

describe('in the sandbox every documented answer', () => {
  let app: TestService;
  let client: ApiClient;

  beforeAll(async () => {
    app = await TestService.start({ env: { SANDBOX: 'true' } });
    client = await app.client({ sessionMax: '8h' });
  });
  afterAll(() => app.close());

  it('that is an error comes on demand, with its status, its headers and a body that fits its schema', async () => {
    // One that has few requests left soon, and none then.
    const limited = (await app.client({ rateLimit: '20/60' })).as('one-of-another-time');
    const missed: unknown[] = [];
    for (const { method, path, status, code, tellsLimits } of refusals) {
      const target = path.replace(/\{(\w+)\}/g, (_, name: string) => VALUES[name] ?? 'one');
      // The client compares status, headers and body with the document.
      const { headers, ...answer } = await limited.send<{ code?: string }>(method, target, undefined, {
        [SCENARIO]: code,
      });
      const given = ['RateLimit', 'RateLimit-Policy'].map((name) => headers.has(name));
      const found = [answer.status, answer.body.code, ...given, headers.get('WWW-Authenticate')];
      const challenge = CHALLENGES[code] ?? null;
      const wanted = [status, code, tellsLimits, tellsLimits, challenge];
      if (JSON.stringify(found) !== JSON.stringify(wanted)) missed.push([method, path, wanted, found]);
    }
    expect(missed).toEqual([]);
    expect(refusals.length).toBeGreaterThan(300);
    const { headers } = await client.get('/api/v1/me', { [SCENARIO]: 'UNAUTHENTICATED' });
    expect(headers.get('WWW-Authenticate')).toBe('Bearer realm="customer"');
  });

  it('comes without a body to whoever asks by HEAD', async () => {
    const { status, body } = await client.send('HEAD', '/api/v1/me', undefined, { [SCENARIO]: 'UNAUTHENTICATED' });
    expect([status, body]).toEqual([401, '']);
  });

  it('that is a success comes by what everybody can do there', async () => {
    const reached = new Set<string>();
    const call = async <T>(from: ApiClient, method: string, path: string, body?: unknown, target = path) => {
      const answer = await from.send<T>(method, target, body);
      reached.add(`${method} ${path} ${answer.status}`);
      return answer;
    };
    const email = 'ada@shop.test';
    const person = { ...newPerson(), email };
    const { body: session } = await call<SessionBody>(client, 'POST', '/api/v1/register', person);
    const proving = await app.client({ channelProof: 'EMAIL' });
    const { password, ...unproven } = { ...newPerson(), email: 'grace@shop.test' };
    const begun = await call<{ registrationId: string }>(proving, 'POST', '/api/v1/register', unproven);
    const { registrationId } = begun.body;
    await call(proving, 'POST', '/api/v1/register/complete', { registrationId, code: '424242', password });

    for (let time = 0; time < 2; time += 1) {
      const said = {
        sub: 'ada',
        email: 'joan@shop.test',
        emailVerified: true,
        givenName: 'Joan',
        familyName: 'Clarke',
      };
      const { body } = await client.post<{ assertion: string }>('/sandbox/assertions', said);
      await call(client, 'POST', '/api/v1/identify', { assertion: body.assertion });
    }

    const me = client.as(session.token);
    const channel = '/api/v1/verifications/{channel}';
    await call(me, 'POST', `${channel}/request`, undefined, '/api/v1/verifications/email/request');
    await call(me, 'POST', `${channel}/confirm`, { code: '424242' }, '/api/v1/verifications/email/confirm');
    await call(me, 'GET', '/api/v1/me');
    await call(me, 'PATCH', '/api/v1/me', { firstName: 'Augusta' });
    const forgotten = await call<{ recoveryId: string }>(client, 'POST', '/api/v1/password/forgot', {
      identifier: email,
    });
    const newPassword = 'hold fast to the analytical engine';
    const { recoveryId } = forgotten.body;
    await call(client, 'POST', '/api/v1/password/reset', { recoveryId, code: '42424242', newPassword });
    const { body: again } = await call<SessionBody>(client, 'POST', '/api/v1/login', {
      identifier: email,
      password: newPassword,
    });
    const back = client.as(again.token);
    await call(back, 'POST', '/api/v1/password/change', { currentPassword: newPassword, newPassword: PASSWORD });
    await call(back, 'POST', '/api/v1/session/extend');
    const { body: sessions } = await call<{ sessionId: string; current: boolean }[]>(
      back,
      'GET',
      '/api/v1/me/sessions',
    );
    const { sessionId = '' } = sessions.find(({ current }) => !current) ?? sessions[0] ?? {};
    await call(back, 'DELETE', '/api/v1/me/sessions/{sessionId}', undefined, `/api/v1/me/sessions/${sessionId}`);
    const last = await call<SessionBody>(client, 'POST', '/api/v1/login', { identifier: email, password: PASSWORD });
    await call(client.as(last.body.token), 'POST', '/api/v1/logout');
    for (const [path, target] of [
      ['/api/v1/reference/countries', '/api/v1/reference/countries'],
      ['/api/v1/reference/countries/{country_code}/subdivisions', '/api/v1/reference/countries/DE/subdivisions'],
    ] as const) {
      const { headers } = await call(client, 'GET', path, undefined, target);
      await call(client.with({ 'If-None-Match': headers.get('ETag') ?? '' }), 'GET', path, undefined, target);
    }

    const successes = documented.filter((one) => one.status < 400 && !reserved.has(lineOf(one)));
    const wanted = successes.map((one) => `${lineOf(one)} ${one.status}`);
    expect(wanted.filter((line) => !reached.has(line))).toEqual([]);
    expect([...reached].filter((line) => !wanted.includes(line))).toEqual([]);
  });

  it('is refused where the operation never gives it, or the wish cannot be read', async () => {
    for (const wish of ['CODE_EXPIRED', 'NOT_IMPLEMENTED', 'nonsense', 'slow=999999', 'constructor']) {
      const { status, body } = await client
        .with({ [SCENARIO]: wish })
        .post<{ errors: { field: string }[] }>('/api/v1/login');
      expect([wish, status, body.errors.map(({ field }) => field)]).toEqual([wish, 400, [SCENARIO]]);
    }
  });

  it('is for whoever has a credential alone', async () => {
    const { status, body } = await client.with({ 'X-Touchpoint-Key': 'tpk_test_wrong' }).get('/api/v1/me', {
      [SCENARIO]: 'UNAUTHENTICATED',
    });
    expect([status, body.code]).toEqual([401, 'TOUCHPOINT_UNAUTHORIZED']);
  });

  it('can be late, or be lost on its way although the act is done', async () => {
    const begun = performance.now();
    await client.get('/api/v1/reference/countries', { [SCENARIO]: 'slow=300' });
    expect(performance.now() - begun).toBeGreaterThanOrEqual(299);

    const person = { ...newPerson(), email: 'lost@shop.test' };
    const dropping = client.with({ [SCENARIO]: 'drop', 'Idempotency-Key': 'once' });
    await expect(dropping.post('/api/v1/register', person)).rejects.toThrow('fetch failed');
    const again = await client.with({ 'Idempotency-Key': 'once' }).post('/api/v1/register', person);
    expect([again.status, again.headers.get('Idempotency-Replayed')]).toEqual([201, 'true']);
  });
});
