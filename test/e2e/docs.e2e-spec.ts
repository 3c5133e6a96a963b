import type { INestApplication } from '@nestjs/common';
import { ERROR_CATALOG } from '../../src/platform/errors/error-catalog';
import type { ApiClient } from '../support/api-client';
import { TestApp } from '../support/test-app';

interface Operation {
  operationId: string;
  summary?: string;
  security?: Record<string, string[]>[];
  parameters?: { in: string; name: string; required?: boolean; schema: object }[];
  responses: Record<
    string,
    { headers?: object; content?: Record<string, { examples?: Record<string, { value: { code: string } }> }> }
  >;
  requestBody?: { content: Record<string, unknown> };
  'x-lifecycle'?: string;
}

interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { securitySchemes: Record<string, Record<string, string>>; schemas: Record<string, unknown> };
}

interface RouterLayer {
  route?: { path: string; methods: Record<string, boolean> };
}

/** What Swagger serves itself, and the route behind all others. */
const NOT_OPERATIONS = /^(\/docs|\/openapi\.json|\/?\{?\*)/;

/** `GET /path/{parameter}` for every route that the running service knows. */
function routesOf(nest: INestApplication): string[] {
  const { router } = nest.getHttpAdapter().getInstance() as { router: { stack: RouterLayer[] } };
  return router.stack.flatMap(({ route }) => {
    if (!route || NOT_OPERATIONS.test(route.path)) return [];
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    return Object.keys(route.methods).map((method) => `${method.toUpperCase()} ${path}`);
  });
}

describe('the documentation', () => {
  let app: TestApp;
  let stranger: ApiClient;
  let document: Document;
  let operations: [line: string, operation: Operation][];

  beforeAll(async () => {
    app = await TestApp.start();
    stranger = (await app.client()).with({ 'X-Touchpoint-Code': '', 'X-Touchpoint-Key': '' });
    document = (await stranger.get<Document>('/openapi.json')).body;
    operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
    ) as typeof operations;
  });
  afterAll(() => app.close());

  const underApi = () => operations.filter(([line]) => line.includes(' /api/v1/'));
  const linesOf = (some: typeof operations) => some.map(([line]) => line);

  it('is a page that anyone may read, with all that it loads', async () => {
    const page = await stranger.get<string>('/docs');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toContain('text/html');
    const assets = [...page.body.matchAll(/(?:src|href)="(\.?\/?[^":]+)"/g)].map(([, path = '']) => path);
    expect(assets.length).toBeGreaterThan(3);
    for (const asset of assets) {
      const { pathname } = new URL(asset, `${app.baseUrl}/docs`);
      expect({ pathname, status: (await stranger.get(pathname)).status }).toEqual({ pathname, status: 200 });
    }
  });

  it('is an OpenAPI 3.1 document that describes every route of the service and no other', () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(linesOf(operations).sort()).toEqual(routesOf(app.nest).sort());
    expect(linesOf(operations)).toEqual(expect.arrayContaining(['GET /api/v1/me', 'PATCH /api/v1/me']));
    const ids = operations.map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has a page for every error code, where the type of a problem points', async () => {
    for (const code of Object.keys(ERROR_CATALOG)) {
      const page = await stranger.get<string>(`/docs/errors/${code}`);
      expect({ code, status: page.status }).toEqual({ code, status: 200 });
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(page.body).toContain(`<code>${code}</code>`);
      expect(page.body).not.toContain('<p></p>');
    }
    expect((await stranger.get('/docs/errors/NO_SUCH_CODE')).body.code).toBe('NOT_FOUND');
  });

  it('has no reference that leads nowhere', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)];
    expect(references.length).toBeGreaterThan(0);
    for (const [, name = ''] of references) expect(document.components.schemas).toHaveProperty(name);
  });

  it('asks for both touchpoint headers everywhere, and for the token where the specification does', () => {
    expect(document.components.securitySchemes).toMatchObject({
      touchpointCode: { type: 'apiKey', in: 'header', name: 'X-Touchpoint-Code' },
      touchpointKey: { type: 'apiKey', in: 'header', name: 'X-Touchpoint-Key' },
      bearer: { type: 'http', scheme: 'bearer' },
    });
    const withToken = underApi().filter(([, { security }]) => security?.some((needs) => 'bearer' in needs));
    const lines = ['GET /api/v1/me', 'PATCH /api/v1/me', 'POST /api/v1/logout', 'POST /api/v1/password/change'];
    const verifications = linesOf(operations).filter((line) => line.includes('/verifications/'));
    expect(linesOf(withToken).sort()).toEqual([...lines, ...verifications].sort());
    for (const [line, { security }] of underApi()) {
      expect({ line, alternatives: security?.length }).toEqual({ line, alternatives: 1 });
      expect(Object.keys(security?.[0] ?? {})).toEqual(expect.arrayContaining(['touchpointCode', 'touchpointKey']));
    }
  });

  it('names for every operation the errors that every one can answer, each with an example', () => {
    for (const [line, { responses, summary }] of underApi()) {
      const codes = Object.entries(responses).flatMap(([status, { content }]) =>
        Object.keys(content?.['application/problem+json']?.examples ?? {}).map((code) => `${status} ${code}`),
      );
      const always = ['401 TOUCHPOINT_UNAUTHORIZED', '503 SERVICE_UNAVAILABLE'];
      expect({ line, codes }).toEqual({ line, codes: expect.arrayContaining(always) as string[] });
      expect({ line, summary }).toEqual({ line, summary: expect.stringMatching(/\S/) as string });
      for (const [status, { content }] of Object.entries(responses)) {
        if (Number(status) < 400) continue;
        const examples = Object.entries(content?.['application/problem+json']?.examples ?? {});
        expect(examples).not.toEqual([]);
        for (const [code, { value }] of examples) expect(value).toMatchObject({ code, status: Number(status) });
      }
    }
  });

  it('tells of operations with a body how it can be wrong, and of live ones that they are limited', () => {
    const live = underApi().filter(([, operation]) => operation['x-lifecycle'] !== 'reserved');
    for (const [line, { responses, requestBody }] of live) {
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['429', '500']));
      const bodyErrors = requestBody ? ['400', '413', '415'] : [];
      expect({ line, statuses: Object.keys(responses) }).toEqual({
        line,
        statuses: expect.arrayContaining(bodyErrors) as string[],
      });
      expect(Object.keys(responses).some((status) => status.startsWith('2'))).toBe(true);
    }
    expect(live.filter(([, { requestBody }]) => requestBody).length).toBeGreaterThan(3);
  });

  it('tells where an idempotency key is taken, and how a repeated answer is known', () => {
    const keyOf = ({ parameters = [] }: Operation) => parameters.find(({ name }) => name === 'Idempotency-Key');
    const taking = operations.filter(([, operation]) => keyOf(operation));
    const registration = ['POST /api/v1/register', 'POST /api/v1/register/complete'];
    expect(linesOf(taking)).toEqual(expect.arrayContaining(registration));
    for (const [, operation] of taking) {
      const example = expect.stringMatching(/^[0-9a-f-]{36}$/) as string;
      expect(keyOf(operation)).toMatchObject({ in: 'header', required: false, schema: { example } });
      expect(Object.keys(operation.responses['409']?.content?.['application/problem+json']?.examples ?? {})).toEqual(
        expect.arrayContaining(['IDEMPOTENCY_KEY_REUSED', 'REQUEST_IN_PROGRESS']),
      );
      const successes = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
      for (const [, { headers }] of successes) expect(headers).toHaveProperty('Idempotency-Replayed');
    }
  });

  it('marks the eighteen reserved operations, and promises nothing but 501 of them', () => {
    const reserved = underApi().filter(([, operation]) => operation['x-lifecycle'] === 'reserved');
    expect(reserved).toHaveLength(18);
    for (const [line, { responses }] of reserved) {
      expect({ line, statuses: Object.keys(responses).sort() }).toEqual({ line, statuses: ['401', '501', '503'] });
    }
  });

  it('is for reading: other methods do not work there, nor does anything beside it', async () => {
    for (const [method, path] of [
      ['POST', '/docs'],
      ['DELETE', '/openapi.json'],
      ['PUT', '/health/live'],
      ['POST', '/.well-known/jwks.json'],
      ['GET', '/docs/../api/v1/me'],
      ['GET', '/docs-json'],
      ['GET', '/metrics'],
    ] as const) {
      expect({ method, path, status: (await stranger.send(method, path)).status }).toEqual({
        method,
        path,
        status: 401,
      });
    }
  });

  it('leaves health to whoever watches it', async () => {
    for (const path of ['/health/live', '/health/ready']) {
      const { status, headers, body } = await stranger.get(path);
      expect([path, status, body]).toEqual([path, 200, { status: 'ok' }]);
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });

  it('publishes the keys of customer tokens without their private halves', async () => {
    const { status, headers, body } = await stranger.get<{ keys: Record<string, string>[] }>('/.well-known/jwks.json');
    expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=300']);
    expect(body.keys.length).toBeGreaterThan(0);
    for (const key of body.keys) {
      expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
      expect(key).toMatchObject({ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' });
    }
  });
});
