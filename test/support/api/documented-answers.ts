import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';

interface Header {
  $ref?: string;
  required?: boolean;
  schema?: object;
}

interface Response {
  $ref?: string;
  headers?: Record<string, Header>;
  content?: Record<string, { examples?: Record<string, unknown> }>;
}

interface Operation {
  responses: Record<string, Response>;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: {
    responses: Record<string, Response>;
    headers: Record<string, Header>;
    schemas: Record<string, unknown>;
  };
}

/** An answer as it came over the wire. */
export interface WireAnswer {
  status: number;
  header: (name: string) => string | null | undefined;
  body: string;
}

const PROBLEM = 'application/problem+json';
const METHODS = ['get', 'post', 'patch', 'delete'];

/** What an address that the document does not list can answer. */
const UNLISTED_CODES = [
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'TOUCHPOINT_UNAUTHORIZED',
  'SUBSCRIBER_UNAUTHORIZED',
  'RATE_LIMITED',
  'BAD_REQUEST',
  'REQUEST_TIMEOUT',
  'HEADERS_TOO_LARGE',
  'EXPECTATION_FAILED',
  'INTERNAL',
  'SERVICE_UNAVAILABLE',
];

/** Judges answers by docs/openapi.json, and strictly: a property that is not documented is a fault. */
class DocumentedAnswers {
  private readonly document = JSON.parse(
    readFileSync(join(__dirname, '../../../docs/openapi.json'), 'utf8'),
  ) as Document;
  private readonly ajv = addFormats(new Ajv2020({ strict: false, allErrors: true }));
  private readonly validators = new Map<string, ValidateFunction>();
  private readonly templates = Object.keys(this.document.paths).map((path) => ({
    path,
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
  }));

  constructor() {
    this.ajv.addSchema({ $id: 'openapi', ...(closed(this.document) as object) });
  }

  faults(method: string, target: string, answer: WireAnswer): string[] {
    const [path = ''] = target.split('?');
    // They exist in no other deployment, and not in the document.
    if (path.startsWith('/sandbox/') && answer.header('Sandbox') === 'true') return [];
    // A target with a fragment or a backslash is no address.
    const location = /[#\\]/.test(target) ? undefined : this.find(method, path);
    if (location !== undefined) return this.faultsOf(location, method, answer);
    const isProblem = mediaTypeOf(answer) === PROBLEM;
    if (!isProblem) return path.startsWith('/api/v1/') ? ['an answer that is not documented'] : [];
    return [...this.bodyFaults('#/components/schemas/Problem', answer, method), ...unlistedFaults(answer, method)];
  }

  /** Where in the document the operation stands. */
  private find(method: string, path: string): string[] | undefined {
    const name = method === 'HEAD' ? 'get' : method.toLowerCase();
    const template = this.templates.find(({ pattern }) => pattern.test(path));
    if (!template || !METHODS.includes(name) || !isDecodable(path)) return undefined;
    return this.document.paths[template.path]?.[name] && ['paths', template.path, name];
  }

  private faultsOf([, path = '', name = '']: string[], method: string, answer: WireAnswer): string[] {
    const responses = this.document.paths[path]?.[name]?.responses ?? {};
    const listed = responses[answer.status];
    if (!listed) return [`status ${answer.status} is not documented`];
    const response =
      listed.$ref === undefined ? listed : (this.document.components.responses[nameOf(listed.$ref)] ?? {});
    const place = listed.$ref ?? pointer('paths', path, name, 'responses', String(answer.status));
    const faults = this.headerFaults(response, answer);
    if (!response.content || method === 'HEAD') {
      return answer.body === '' ? faults : [...faults, 'has a body'];
    }
    const mediaType = mediaTypeOf(answer);
    const documented = response.content[mediaType];
    if (!documented) return [...faults, `the media type ${mediaType} is not documented`];
    const schema = `${place}${pointer('content', mediaType, 'schema').slice(1)}`;
    faults.push(...this.bodyFaults(schema, answer, method));
    if (mediaType === PROBLEM) {
      const code = codeOf(answer);
      if (!Object.keys(documented.examples ?? {}).includes(code)) faults.push(`the code ${code} is not documented`);
    }
    return faults;
  }

  private headerFaults({ headers = {} }: Response, answer: WireAnswer): string[] {
    return Object.entries(headers).flatMap(([name, listed]) => {
      const { required, schema = {} } =
        listed.$ref === undefined ? listed : (this.document.components.headers[nameOf(listed.$ref)] ?? {});
      const value = answer.header(name) ?? undefined;
      if (value === undefined) return required ? [`the header ${name} is missing`] : [];
      const validate = this.compiled(`header ${name} ${JSON.stringify(schema)}`, schema);
      const isInteger = (schema as { type?: string }).type === 'integer';
      return validate(isInteger ? Number(value) : value) ? [] : [`the header ${name} is ${value}`];
    });
  }

  private bodyFaults(schema: string, { body }: WireAnswer, method: string): string[] {
    if (method === 'HEAD') return [];
    const validate = this.compiled(schema, { $ref: `openapi${schema}` });
    if (validate(JSON.parse(body))) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `body${instancePath} ${message ?? ''} ${JSON.stringify(params)}`,
    );
  }

  private compiled(key: string, schema: object): ValidateFunction {
    const known = this.validators.get(key);
    if (known) return known;
    const validate = this.ajv.compile(schema);
    this.validators.set(key, validate);
    return validate;
  }
}

let documented: DocumentedAnswers | undefined;

/** Fails the test when the service answers what docs/openapi.json does not say. */
export function expectDocumented(method: string, target: string, answer: WireAnswer): void {
  documented ??= new DocumentedAnswers();
  const faults = documented.faults(method, target, answer);
  if (faults.length === 0) return;
  const body = answer.body.slice(0, 500);
  throw new Error(
    `docs/openapi.json does not describe ${method} ${target} ${answer.status}: ${faults.join('; ')}\n${body}`,
  );
}

function unlistedFaults(answer: WireAnswer, method: string): string[] {
  if (method === 'HEAD') return [];
  const code = codeOf(answer);
  if (!UNLISTED_CODES.includes(code)) return [`the code ${code} is not one for an unlisted address`];
  return code === 'METHOD_NOT_ALLOWED' && !answer.header('Allow') ? ['the header Allow is missing'] : [];
}

const nameOf = (reference: string): string => reference.split('/').at(-1) ?? '';

const mediaTypeOf = ({ header }: WireAnswer): string => (header('Content-Type') ?? '').split(';')[0]?.trim() ?? '';

const codeOf = ({ body }: WireAnswer): string => (JSON.parse(body) as { code: string }).code;

const pointer = (...names: string[]): string =>
  `#/${names.map((name) => name.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`;

function isDecodable(path: string): boolean {
  try {
    return decodeURIComponent(path) !== '';
  } catch {
    return false;
  }
}

/** A copy in which no object may have a property that its schema does not name. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, closed(member)]),
  );
  const isClosable = [copy.type].flat().includes('object') && copy.properties !== undefined;
  return isClosable ? { additionalProperties: false, ...copy } : copy;
}
