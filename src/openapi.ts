import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { ApiError } from './platform/errors/api-error';
import { ERROR_CATALOG, type ErrorCode } from './platform/errors/error-catalog';
import { PROBLEM_MEDIA_TYPE, problemOf } from './platform/errors/problem';
import { ProblemDto } from './platform/errors/problem.dto';
import { PROBLEM_PREFIX } from './platform/http/api-problems.decorator';

type PathItem = OpenAPIObject['paths'][string];
type Operation = NonNullable<PathItem['get']>;

const METHODS = ['get', 'post', 'patch'] as const;
const API_PREFIX = '/api/v1/';
const TOUCHPOINT_SECURITY = { touchpointCode: [], touchpointKey: [] };
const CUSTOMER_SECURITY = { ...TOUCHPOINT_SECURITY, bearer: [] };

/** Codes that every operation under `/api/v1` can answer, and those that only reserved ones cannot. */
const API_CODES: ErrorCode[] = ['TOUCHPOINT_UNAUTHORIZED', 'SERVICE_UNAVAILABLE'];
const LIVE_CODES: ErrorCode[] = ['BAD_REQUEST', 'EXPECTATION_FAILED', 'RATE_LIMITED', 'INTERNAL'];

const EXAMPLE_REQUEST_ID = '0192f0c1-7a3e-7b2a-9c55-0f2d6f0f6a11';

/** The OpenAPI 3.1 document of the API, made from its controllers. */
export function openApiDocument(app: INestApplication): OpenAPIObject {
  const settings = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Consumer service')
    .setDescription('Registration, login and self-service of consumers, for touchpoint backends.')
    .setVersion('1')
    .setLicense('MIT', 'https://spdx.org/licenses/MIT.html')
    .addServer('/')
    .addTag('Consumers')
    .addTag('Reference')
    .addTag('Keys')
    .addTag('Health')
    .addTag('Reserved', 'Part of the API’s shape, and not live yet: always 501.')
    .addApiKey({ type: 'apiKey', in: 'header', name: 'X-Touchpoint-Code' }, 'touchpointCode')
    .addApiKey({ type: 'apiKey', in: 'header', name: 'X-Touchpoint-Key' }, 'touchpointKey')
    .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'The customer token.' })
    .build();
  const document = SwaggerModule.createDocument(app, settings, { extraModels: [ProblemDto] });
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) if (item[method]) complete(path, method, item[method]);
  }
  return withNullTypes(document) as OpenAPIObject;
}

function complete(path: string, method: string, operation: Operation): void {
  const codes = takeProblemCodes(operation);
  operation.operationId = operationId(path, method);
  const isApi = path.startsWith(API_PREFIX);
  const isReserved = codes.includes('NOT_IMPLEMENTED');
  if (isApi) operation.security = [operation.security ? CUSTOMER_SECURITY : TOUCHPOINT_SECURITY];
  if (isReserved) {
    operation.responses = {};
    Object.assign(operation, { 'x-lifecycle': 'reserved' });
  }
  const all = [...codes, ...(isApi ? API_CODES : []), ...(isApi && !isReserved ? LIVE_CODES : [])];
  for (const code of new Set(all)) addProblem(operation, code);
}

/** The codes that `ApiProblems` named, which the document shows as responses instead. */
function takeProblemCodes(operation: Operation): ErrorCode[] {
  const names = Object.keys(operation).filter((name) => name.startsWith(PROBLEM_PREFIX));
  for (const name of names) Reflect.deleteProperty(operation, name);
  return names.map((name) => name.slice(PROBLEM_PREFIX.length) as ErrorCode);
}

/** Errors of one status share a response, with an example for each code. */
function addProblem({ responses }: Operation, code: ErrorCode): void {
  const { status, title } = ERROR_CATALOG[code];
  const line = `\`${code}\`: ${title}`;
  const known = responses[status] as { description: string; content: Record<string, { examples: object }> } | undefined;
  const example = { [code]: { value: problemOf(new ApiError(code), EXAMPLE_REQUEST_ID) } };
  const description = known ? `${known.description}\n\n${line}` : line;
  const examples = { ...known?.content[PROBLEM_MEDIA_TYPE]?.examples, ...example };
  const schema = { $ref: '#/components/schemas/ProblemDto' };
  responses[status] = { description, content: { [PROBLEM_MEDIA_TYPE]: { schema, examples } } };
}

/** `POST /api/v1/password/change` is `postPasswordChange`. */
function operationId(path: string, method: string): string {
  const words = path.replace(API_PREFIX, '').match(/[A-Za-z]+/g) ?? [];
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** Schemas with the null type of OpenAPI 3.1, where the decorators know only the `nullable` of 3.0. */
function withNullTypes(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withNullTypes);
  if (typeof node !== 'object' || node === null) return node;
  const { nullable, ...rest } = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, withNullTypes(value)]),
  );
  if (nullable !== true) return rest;
  if (typeof rest.type === 'string') return { ...rest, type: [rest.type, 'null'] };
  const { allOf, $ref, ...annotations } = rest;
  const schema = Array.isArray(allOf) ? (allOf[0] as unknown) : { $ref };
  return { ...annotations, anyOf: [schema, { type: 'null' }] };
}
