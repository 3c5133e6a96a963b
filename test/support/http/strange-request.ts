import fc from 'fast-check';
import { ALL_METHODS, chunked, CODE, KEY } from './raw-cases';

/** Any method at any path with any headers and body, and every credential but a good one. */
export function strangeRequest(
  { [CODE]: code = '', [KEY]: key = '' }: Record<string, string>,
  { formerKey, token }: { formerKey: string; token: string },
) {
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
    [`${CODE}: ${code}`, `${KEY}: ${formerKey}`],
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
