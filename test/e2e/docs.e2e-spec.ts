import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import { Ajv2020 } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { ERROR_CATALOG } from '../../src/platform/errors/error-catalog';
import type { ApiClient } from '../support/api-client';
import { LogFile } from '../support/log-file';
import { TestApp } from '../support/test-app';

interface MediaType {
  schema?: object;
  example?: unknown;
  examples?: Record<string, { $ref?: string; value?: unknown }>;
}

interface Response {
  $ref?: string;
  description?: string;
  headers?: Record<string, object>;
  content?: Record<string, MediaType>;
}

interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  security?: Record<string, string[]>[];
  responses: Record<string, Response>;
  parameters?: { in: string; name: string; required?: boolean }[];
  requestBody?: { content: Record<string, MediaType> };
  'x-lifecycle'?: string;
}

interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: {
    securitySchemes: Record<string, Record<string, string>>;
    responses: Record<string, Response>;
    examples: Record<string, { value: unknown }>;
  };
}

interface RouterLayer {
  route?: { path: string; methods: Record<string, boolean> };
}

/** What Swagger serves itself, and the route behind all others. */
const NOT_OPERATIONS = /^(\/docs|\/openapi(-3\.0)?\.json|\/?\{?\*)/;

/** `GET /path/{parameter}` for every route that the running service knows. */
function routesOf(nest: INestApplication): string[] {
  const { router } = nest.getHttpAdapter().getInstance() as { router: { stack: RouterLayer[] } };
  return router.stack.flatMap(({ route }) => {
    if (!route || NOT_OPERATIONS.test(route.path)) return [];
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    return Object.keys(route.methods).map((method) => `${method.toUpperCase()} ${path}`);
  });
}

const nameOf = (reference: string): string => reference.split('/').at(-1) ?? '';

describe('the documentation', () => {
  let directory: string;
  let log: LogFile;
  let app: TestApp;
  let stranger: ApiClient;
  let document: Document;
  let operations: [line: string, operation: Operation][];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'consumer-service-log-'));
    log = new LogFile(directory, 'docs.log');
    app = await TestApp.start({ logger: log.logger });
    stranger = (await app.client()).with({ 'X-Touchpoint-Code': '', 'X-Touchpoint-Key': '' });
    document = (await stranger.get<Document>('/openapi.json')).body;
    operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([name]) => name !== 'parameters')
        .map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as [string, Operation]),
    );
  });
  afterAll(async () => {
    await app.close();
    await rm(directory, { recursive: true });
  });

  const underApi = () => operations.filter(([line]) => line.includes(' /api/v1/'));
  const live = () => underApi().filter(([, operation]) => operation['x-lifecycle'] !== 'reserved');
  const resolved = (response: Response): Response =>
    response.$ref === undefined ? response : (document.components.responses[nameOf(response.$ref)] ?? {});
  const examplesOf = ({ example, examples = {} }: MediaType): [name: string, value: unknown][] => [
    ...(example === undefined ? [] : [['example', example] as [string, unknown]]),
    ...Object.entries(examples).map(([name, { $ref, value }]): [string, unknown] => [
      name,
      $ref === undefined ? value : document.components.examples[nameOf($ref)]?.value,
    ]),
  ];
  /** Every place where an operation shows a body: of the request, and of each answer. */
  const bodiesOf = ({ requestBody, responses }: Operation): [place: string, status: number, body: MediaType][] => [
    ...Object.values(requestBody?.content ?? {}).map((body): [string, number, MediaType] => ['request', 0, body]),
    ...Object.entries(responses).flatMap(([status, response]) =>
      Object.values(resolved(response).content ?? {}).map((body): [string, number, MediaType] => [
        status,
        Number(status),
        body,
      ]),
    ),
  ];
  const linesOf = (some: typeof operations) => some.map(([line]) => line);

  it('is a page that anyone may read, with all that it loads', async () => {
    const page = await stranger.get<string>('/docs');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toContain('text/html');
    const assets = [...page.body.matchAll(/(?:src|href)="(\.?\/?[^":]+)"/g)].map(([, path = '']) => path);
    expect(assets.length).toBeGreaterThan(3);
    for (const asset of assets) {
      const { pathname } = new URL(asset, `${app.baseUrl}/docs`);
      const { status, headers } = await stranger.get(pathname);
      expect({ pathname, status, etag: headers.get('etag') }).toEqual({ pathname, status: 200, etag: null });
    }
  });

  it('may load and call nothing but this service, nor be shown in a frame, whichever page it is', async () => {
    const paths = ['/docs', '/docs/', '/docs/index.html', '/docs/oauth2-redirect.html', '/docs/getting-started'];
    for (const path of [...paths, '/docs/errors', '/docs/LICENSE']) {
      const policy = (await stranger.get(path)).headers.get('content-security-policy')?.split('; ') ?? [];
      const expected = ["default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"];
      expect({ path, policy }).toEqual({ path, policy: expect.arrayContaining(expected) as string[] });
      expect(policy.join('; ')).not.toMatch(/\*|https?:|unsafe-eval|script-src[^;]*unsafe/);
    }
  });

  it('refuses what its files cannot be asked for as a mistake of the client, and is not alarmed', async () => {
    const css = '/docs/swagger-ui.css';
    const outcomeOf = async (path: string, headers: Record<string, string>) => {
      const response = await fetch(app.baseUrl + path, { headers });
      const text = await response.text();
      return [response.status, response.ok ? undefined : (JSON.parse(text) as { code: string }).code];
    };
    expect(await outcomeOf('/docs/LICENSE', {})).toEqual([404, 'NOT_FOUND']);
    expect(await outcomeOf(css, { 'If-Match': '"x"' })).toEqual([412, 'PRECONDITION_FAILED']);
    expect(await outcomeOf(css, { Range: 'bytes=99999999-' })).toEqual([200, undefined]);
    expect(log.lines().filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('is an OpenAPI 3.1 document that describes every route of the service and no other', () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(linesOf(operations).sort()).toEqual(routesOf(app.nest).sort());
    expect(linesOf(operations)).toEqual(expect.arrayContaining(['GET /api/v1/me', 'PATCH /api/v1/me']));
    const ids = operations.map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has a page for every error code, where the type of a problem points, and a list of them', async () => {
    const list = await stranger.get<string>('/docs/errors');
    for (const code of Object.keys(ERROR_CATALOG)) {
      const page = await stranger.get<string>(`/docs/errors/${code}`);
      expect({ code, status: page.status }).toEqual({ code, status: 200 });
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(page.body).toContain(`<code>${code}</code>`);
      expect(page.body).toMatch(/What to do<\/h2>\n<p>[A-Z].*<\/p>/);
      expect(page.body).toContain(`&quot;type&quot;: &quot;/docs/errors/${code}&quot;`);
      expect(list.body).toContain(`href="/docs/errors/${code}"`);
    }
    expect((await stranger.get('/docs/errors/NO_SUCH_CODE')).body.code).toBe('NOT_FOUND');
  });

  it('warns of the errors after which a request may have been done, and of no other', async () => {
    for (const [code, { status }] of Object.entries(ERROR_CATALOG)) {
      const { body } = await stranger.get<string>(`/docs/errors/${code}`);
      expect({ code, warns: body.includes('may have been done') }).toEqual({
        code,
        warns: [500, 503].includes(status),
      });
    }
  });

  it('links to nothing that is not there', async () => {
    const pages = [
      '/docs/getting-started',
      '/docs/errors',
      ...Object.keys(ERROR_CATALOG).map((code) => `/docs/errors/${code}`),
    ];
    const bodies = await Promise.all(pages.map(async (path) => (await stranger.get<string>(path)).body));
    const links = bodies.flatMap((body) => [...body.matchAll(/href="([^"]+)"/g)].map(([, link = '']) => link));
    links.push(...[...JSON.stringify(document).matchAll(/\]\((\/[^)]+)\)/g)].map(([, link = '']) => link));
    expect(links).toContain('/docs/getting-started');
    for (const link of new Set(links)) {
      expect({ link, status: (await stranger.get(link)).status }).toEqual({ link, status: 200 });
    }
  });

  it('is committed as it is served: `npm run openapi` writes it', () => {
    expect(JSON.parse(readFileSync(join(__dirname, '../../docs/openapi.json'), 'utf8'))).toEqual(document);
  });

  it('shows for every operation what is sent and answered, each with examples that fit their schema', () => {
    const ajv = addFormats(new Ajv2020({ strict: false }));
    ajv.addSchema({ $id: 'openapi', ...document });
    const faults: string[] = [];
    for (const [line, operation] of operations) {
      if (!/\S/.test(operation.summary ?? '')) faults.push(`${line} has no summary`);
      if (!/\S/.test(operation.description ?? '')) faults.push(`${line} has no description`);
      if (Object.keys(operation.responses).length === 0) faults.push(`${line} has no status`);
      for (const [status, response] of Object.entries(operation.responses)) {
        const { description, headers = {}, content } = resolved(response);
        if (!description) faults.push(`${line} ${status} has no description`);
        if (!headers['X-Request-Id'] || !headers['Cache-Control']) faults.push(`${line} ${status} lacks headers`);
        if (!content && !['204', '304'].includes(status)) faults.push(`${line} ${status} has no body`);
      }
      for (const [place, , body] of bodiesOf(operation)) {
        const examples = examplesOf(body);
        if (examples.length === 0 || !body.schema) faults.push(`${line} ${place} has no example or no schema`);
        const schema = JSON.parse(JSON.stringify(body.schema).replaceAll('"#/', '"openapi#/')) as object;
        for (const [name, value] of examples) {
          if (!ajv.validate(schema, value)) faults.push(`${line} ${place} ${name}: ${ajv.errorsText()}`);
        }
      }
    }
    expect(faults).toEqual([]);
  });

  it('asks for both touchpoint headers everywhere, and for the token where the specification does', () => {
    expect(document.components.securitySchemes).toMatchObject({
      touchpointCode: { type: 'apiKey', in: 'header', name: 'X-Touchpoint-Code' },
      touchpointKey: { type: 'apiKey', in: 'header', name: 'X-Touchpoint-Key' },
      bearer: { type: 'http', scheme: 'bearer' },
    });
    const withToken = live().filter(([, { security }]) => security?.some((needs) => 'bearer' in needs));
    const lines = ['GET /api/v1/me', 'PATCH /api/v1/me', 'POST /api/v1/logout', 'POST /api/v1/password/change'];
    const verifications = linesOf(operations).filter((line) => line.includes('/verifications/'));
    expect(linesOf(withToken).sort()).toEqual([...lines, ...verifications].sort());
    for (const [line, { security }] of live()) {
      expect({ line, alternatives: security?.length }).toEqual({ line, alternatives: 1 });
    }
    for (const [line, { security = [] }] of underApi()) {
      const withoutTouchpoint = security.filter((needs) => !('touchpointCode' in needs && 'touchpointKey' in needs));
      expect({ line, withoutTouchpoint, open: security.length === 0 }).toEqual({
        line,
        withoutTouchpoint: [],
        open: false,
      });
    }
  });

  it('names for every operation the errors that every one can answer, each with an example of its own', () => {
    for (const [line, operation] of underApi()) {
      const problems = bodiesOf(operation).filter(([, status]) => status >= 400);
      const codes = problems.flatMap(([status, , body]) => examplesOf(body).map(([code]) => `${status} ${code}`));
      const always = ['401 TOUCHPOINT_UNAUTHORIZED', '503 SERVICE_UNAVAILABLE'];
      expect({ line, codes }).toEqual({ line, codes: expect.arrayContaining(always) as string[] });
      for (const [, status, body] of problems) {
        for (const [code, value] of examplesOf(body)) expect(value).toMatchObject({ code, status });
      }
    }
  });

  it('names for every operation, public and reserved ones too, what Node refuses and what can fail', () => {
    for (const [line, { responses }] of operations) {
      const statuses = Object.keys(responses);
      const always = ['400', '408', '431', '500'];
      expect({ line, statuses }).toEqual({ line, statuses: expect.arrayContaining(always) as string[] });
    }
  });

  it('tells what is left of the limits with every answer that comes after them, and with no other', () => {
    const tells = ({ headers = {} }: Response) => 'RateLimit' in headers && 'RateLimit-Policy' in headers;
    for (const [line, operation] of operations) {
      const isLimited = live().some(([other]) => other === line);
      for (const [status, response] of Object.entries(operation.responses)) {
        const codes = Object.values(resolved(response).content ?? {}).flatMap(({ examples = {} }) =>
          Object.keys(examples),
        );
        const isBefore = ['408', '431'].includes(status) || codes.join() === 'TOUCHPOINT_UNAUTHORIZED';
        expect({ line, status, tells: tells(resolved(response)) }).toEqual({
          line,
          status,
          tells: isLimited && !isBefore,
        });
      }
    }
  });

  it('tells of operations with a body how it can be wrong, and of live ones that they are limited', () => {
    for (const [line, { responses, requestBody }] of live()) {
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['429', '500']));
      const bodyErrors = requestBody ? ['400', '413', '415'] : [];
      expect({ line, statuses: Object.keys(responses) }).toEqual({
        line,
        statuses: expect.arrayContaining(bodyErrors) as string[],
      });
      expect(Object.keys(responses).some((status) => status.startsWith('2'))).toBe(true);
    }
    expect(live().filter(([, { requestBody }]) => requestBody).length).toBeGreaterThan(3);
  });

  it('tells where an idempotency key is taken, and how a repeated answer is known', () => {
    const taking = operations.filter(([, { parameters = [] }]) =>
      parameters.some(({ in: place, name }) => place === 'header' && name === 'Idempotency-Key'),
    );
    const lines = ['POST /api/v1/identify', 'POST /api/v1/register', 'POST /api/v1/register/complete'];
    expect(linesOf(taking).sort()).toEqual(lines);
    for (const [, { responses }] of taking) {
      const conflicts = Object.values(resolved(responses['409'] ?? {}).content ?? {}).flatMap(examplesOf);
      const codes = conflicts.map(([, value]) => (value as { code: string }).code);
      expect(codes).toEqual(expect.arrayContaining(['IDEMPOTENCY_KEY_REUSED', 'REQUEST_IN_PROGRESS']));
      for (const [status, response] of Object.entries(responses)) {
        if (status.startsWith('2')) expect(resolved(response).headers).toHaveProperty('Idempotency-Replayed');
      }
    }
  });

  it('marks the eighteen reserved operations, whose one success is only for the day when they are live', () => {
    const reserved = underApi().filter(([, operation]) => operation['x-lifecycle'] === 'reserved');
    expect(reserved).toHaveLength(18);
    for (const [line, { responses, description, requestBody }] of reserved) {
      const [success = '', ...others] = Object.keys(responses).sort();
      expect({ line, others }).toEqual({ line, others: ['400', '401', '408', '431', '500', '501', '503'] });
      expect(['200', '201', '202']).toContain(success);
      expect(responses[success]?.description).toMatch(/^Not before it is live/);
      expect(description).toMatch(/always 501/);
      expect({ line, hasBody: requestBody !== undefined }).toEqual({ line, hasBody: line.startsWith('POST') });
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
      ['GET', '/docs-yaml'],
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
    expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=240']);
    expect(body.keys.length).toBeGreaterThan(0);
    for (const key of body.keys) {
      expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
      expect(key).toMatchObject({ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' });
    }
  });
});
