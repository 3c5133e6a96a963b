import { STATUS_CODES } from 'node:http';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { ErrorCode } from '../../platform/errors/error-catalog';
import { ERROR_CATALOG } from '../../platform/errors/error-catalog';
import type { FieldError } from '../../platform/errors/api-error';
import { PROBLEM_MEDIA_TYPE } from '../../platform/errors/problem';
import { problemExample } from '../../platform/errors/problem-example';
import { PROBLEM_PREFIX } from '../../platform/http/api-problems.decorator';
import { IGNORED_FIELDS } from '../../platform/http/body/ignored-fields';
import { REQUEST_EXAMPLES } from './request-examples';
import { exampleOf, type Schema } from './schemas';
import { headerReferences, isAfterBody, isAfterLimits, problemHeaders } from './shared-headers';

type PathItem = OpenAPIObject['paths'][string];
export type Operation = NonNullable<PathItem['get']>;

interface MediaType {
  schema?: Schema;
  example?: unknown;
  examples?: object;
}

interface Response {
  description?: string;
  headers?: object;
  content?: Record<string, MediaType>;
}

/** An operation's entry for a status: a response, or a reference to a shared one. */
type ListedResponse = NonNullable<Operation['responses'][string]>;

/** Who can call an operation, and which checks it passes. */
type Standing = 'public' | 'reserved' | 'live' | 'integration';

interface Parameter {
  in?: string;
  required?: boolean;
  description?: string;
  example?: string;
}

const API_PREFIX = '/api/v1/';
const INTEGRATION_PREFIX = '/integration/v1/';
const SUBSCRIBER = { subscriberCode: [], subscriberKey: [] };
const TOUCHPOINT = { touchpointCode: [], touchpointKey: [] };
const CUSTOMER = { ...TOUCHPOINT, bearer: [] };

/** What Node refuses before any check, and what can fail in every operation. */
const EVERYWHERE: ErrorCode[] = ['BAD_REQUEST', 'REQUEST_TIMEOUT', 'HEADERS_TOO_LARGE', 'INTERNAL'];
const UNDER_API: ErrorCode[] = [...EVERYWHERE, 'TOUCHPOINT_UNAUTHORIZED', 'SERVICE_UNAVAILABLE'];

/** What every operation can answer besides its own errors; a reserved one answers before `Expect` is checked. */
const COMMON_CODES: Record<Standing, ErrorCode[]> = {
  public: [...EVERYWHERE, 'EXPECTATION_FAILED'],
  reserved: UNDER_API,
  live: [...UNDER_API, 'EXPECTATION_FAILED', 'RATE_LIMITED'],
  integration: [
    ...EVERYWHERE,
    ...(['SUBSCRIBER_UNAUTHORIZED', 'SERVICE_UNAVAILABLE', 'EXPECTATION_FAILED', 'RATE_LIMITED'] as const),
  ],
};

const isApiPath = (path: string): boolean => path.startsWith(API_PREFIX);

/** Whether the operation needs a credential. */
export const isGuardedPath = (path: string): boolean => isApiPath(path) || path.startsWith(INTEGRATION_PREFIX);

/** Adds to the operations what many of them have in common, and collects what they share. */
export class Operations {
  readonly sharedResponses: Record<string, object> = {};
  readonly sharedExamples: Record<string, object> = {};
  private readonly schemas: Record<string, Schema>;

  constructor({ components }: OpenAPIObject) {
    this.schemas = components?.schemas ?? {};
  }

  complete(method: string, path: string, operation: Operation): void {
    const codes = takeProblemCodes(operation);
    const standing = standingOf(path, codes);
    const isLimited = standing === 'live' || standing === 'integration';
    operation.operationId = operationId(method, path);
    operation.security = securityOf(operation, standing);
    if (standing === 'reserved') Object.assign(operation, { 'x-lifecycle': 'reserved' });
    this.completeRequest(operation);
    for (const [status, response] of Object.entries(operation.responses)) {
      this.completeSuccess(status, response as Response, isLimited, operation.requestBody !== undefined);
    }
    this.addProblems(operation, [...new Set([...codes, ...COMMON_CODES[standing]])], isLimited);
  }

  private completeRequest({ operationId = '', parameters = [], requestBody }: Operation): void {
    for (const parameter of parameters as Parameter[]) if (parameter.in === 'header') tellExample(parameter);
    const { content = {} } = (requestBody ?? {}) as Response;
    const examples = REQUEST_EXAMPLES[operationId];
    for (const mediaType of Object.values(content)) {
      if (examples) mediaType.examples = examples;
      else this.addExample(mediaType);
    }
  }

  private completeSuccess(status: string, response: Response, isLimited: boolean, takesBody: boolean): void {
    if (response.description === '') response.description = STATUS_CODES[status] ?? '';
    const limits = isLimited ? (['RateLimit-Policy', 'RateLimit'] as const) : [];
    const ignored = isLimited && takesBody ? ([IGNORED_FIELDS] as const) : [];
    const shared = headerReferences(['X-Request-Id', 'Cache-Control', ...limits, ...ignored]);
    response.headers = { ...shared, ...response.headers };
    for (const mediaType of Object.values(response.content ?? {})) this.addExample(mediaType);
  }

  private addExample(mediaType: MediaType): void {
    const { schema, example, examples } = mediaType;
    if (schema && example === undefined && !examples) mediaType.example = exampleOf(schema, this.schemas);
  }

  /** Errors of one status share a response, with an example for each code. */
  private addProblems(operation: Operation, codes: ErrorCode[], isLimited: boolean): void {
    const byStatus = new Map<number, ErrorCode[]>();
    for (const code of codes) {
      const { status } = ERROR_CATALOG[code];
      byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
    }
    for (const [status, codesOfStatus] of byStatus) {
      operation.responses[status] = this.problemResponse(operation, codesOfStatus, isLimited);
    }
  }

  private problemResponse(operation: Operation, codes: ErrorCode[], isLimited: boolean): ListedResponse {
    const ordered = Object.keys(ERROR_CATALOG).filter((code) => codes.includes(code as ErrorCode)) as ErrorCode[];
    const examples = Object.fromEntries(ordered.map((code) => [code, this.problemExample(operation, code)]));
    const isAfter = ordered.some(isAfterLimits);
    const namesIgnored = isLimited && operation.requestBody !== undefined && ordered.some(isAfterBody);
    const response = {
      description: ordered
        .map((code) => `- [\`${code}\`](/docs/errors/${code}): ${ERROR_CATALOG[code].title}`)
        .join('\n'),
      headers: problemHeaders(ordered, isLimited && isAfter, namesIgnored),
      content: { [PROBLEM_MEDIA_TYPE]: { schema: { $ref: '#/components/schemas/Problem' }, examples } },
    };
    if (ordered.includes('VALIDATION_FAILED')) return response;
    const variant = namesIgnored ? 'ToBody' : isAfter && !isLimited ? 'WithoutLimits' : '';
    const name = ordered.map(pascalCase).join('Or') + variant;
    this.sharedResponses[name] = response;
    return { $ref: `#/components/responses/${name}` };
  }

  /** The example of a violation uses the operation's own fields. */
  private problemExample({ requestBody }: Operation, code: ErrorCode): object {
    const [mediaType] = Object.values(((requestBody ?? {}) as Response).content ?? {});
    const body = this.schemas[mediaType?.schema?.$ref?.split('/').at(-1) ?? ''];
    if (code === 'VALIDATION_FAILED') return { value: problemExample(code, violationsOf(body)) };
    this.sharedExamples[code] = { value: problemExample(code) };
    return { $ref: `#/components/examples/${code}` };
  }
}

/** The codes that `ApiProblems` named, which the document shows as responses instead. */
function takeProblemCodes(operation: Operation): ErrorCode[] {
  const names = Object.keys(operation).filter((name) => name.startsWith(PROBLEM_PREFIX));
  for (const name of names) Reflect.deleteProperty(operation, name);
  return names.map((name) => name.slice(PROBLEM_PREFIX.length) as ErrorCode);
}

function standingOf(path: string, codes: ErrorCode[]): Standing {
  if (path.startsWith(INTEGRATION_PREFIX)) return 'integration';
  if (!isApiPath(path)) return 'public';
  return codes.includes('NOT_IMPLEMENTED') ? 'reserved' : 'live';
}

/** A reserved operation will need a consumer's token once it is live, but not before. */
function securityOf({ security }: Operation, standing: Standing): Operation['security'] {
  if (standing === 'public') return [];
  if (standing === 'integration') return [SUBSCRIBER];
  if (!security) return [TOUCHPOINT];
  return standing === 'reserved' ? [CUSTOMER, TOUCHPOINT] : [CUSTOMER];
}

/** `POST /api/v1/password/change` is `postPasswordChange`. */
function operationId(method: string, path: string): string {
  const words =
    path
      .replace(API_PREFIX, '')
      .replace(INTEGRATION_PREFIX, '')
      .match(/[A-Za-z]+/g) ?? [];
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** Swagger UI would send the example of a header by default: a key twice, or an entity tag that matches nothing. */
function tellExample(parameter: Parameter): void {
  if (parameter.required || parameter.example === undefined) return;
  parameter.description = `${parameter.description ?? ''} For example \`${parameter.example}\`.`.trim();
  delete parameter.example;
}

/** A body without its required fields; if there are none, one with a wrong type. */
function violationsOf({ required = [], properties = {} }: Schema = {}): FieldError[] {
  if (required.length > 0) return required.map((field) => ({ field, code: 'REQUIRED', message: 'is required' }));
  const [field] = Object.keys(properties);
  // Without a body, the profile holds the invalid value.
  if (field === undefined) return [{ field: 'phone', code: 'INVALID_VALUE', message: 'must be a number of a person' }];
  return [{ field, code: 'INVALID_TYPE', message: 'must be a string' }];
}

const pascalCase = (code: string): string =>
  code
    .toLowerCase()
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
