/** The OpenAPI document of the service, as far as tests look at it. */
export interface OpenApiDocument {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: {
    securitySchemes: Record<string, Record<string, string>>;
    responses: Record<string, Response>;
    examples: Record<string, { value: unknown }>;
    schemas: { ErrorCode: { enum: string[] } };
  };
}

export interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  security?: Record<string, string[]>[];
  responses: Record<string, Response>;
  parameters?: { in: string; name: string; required?: boolean }[];
  requestBody?: { content: Record<string, MediaType> };
  'x-lifecycle'?: string;
}

interface Response {
  $ref?: string;
  description?: string;
  headers?: Record<string, object>;
  content?: Record<string, MediaType>;
}

interface MediaType {
  schema?: object;
  example?: unknown;
  examples?: Record<string, { $ref?: string; value?: unknown }>;
}

/** A place where an operation shows a body. */
interface ShownBody {
  /** `request`, or the status of an answer. */
  place: string;
  schema: object | undefined;
  examples: [name: string, value: unknown][];
}

/** An operation by what it is called with, such as `GET /api/v1/me`. */
export type NamedOperation = [line: string, operation: Operation];

export const linesOf = (operations: NamedOperation[]): string[] => operations.map(([line]) => line);

export class ApiDocument {
  readonly operations: NamedOperation[];

  constructor(readonly content: OpenApiDocument) {
    this.operations = Object.entries(content.paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([name]) => name !== 'parameters')
        .map(([method, operation]): NamedOperation => [`${method.toUpperCase()} ${path}`, operation]),
    );
  }

  static async of({ baseUrl }: { baseUrl: string }): Promise<ApiDocument> {
    return new ApiDocument((await (await fetch(`${baseUrl}/openapi.json`)).json()) as OpenApiDocument);
  }

  get errorCodes(): string[] {
    return this.content.components.schemas.ErrorCode.enum;
  }

  /** The operations for touchpoints. */
  get ofTheApi(): NamedOperation[] {
    return this.operations.filter(([line]) => line.includes(' /api/v1/'));
  }

  get live(): NamedOperation[] {
    return this.ofTheApi.filter(([, operation]) => operation['x-lifecycle'] !== 'reserved');
  }

  get reserved(): NamedOperation[] {
    return this.ofTheApi.filter(([, operation]) => operation['x-lifecycle'] === 'reserved');
  }

  responsesOf({ responses }: Operation): [status: string, response: Response][] {
    return Object.entries(responses).map(([status, response]) => [status, this.resolved(response)]);
  }

  bodiesOf(operation: Operation): ShownBody[] {
    const request = Object.values(operation.requestBody?.content ?? {}).map((body) => this.shown('request', body));
    const answers = this.responsesOf(operation).flatMap(([status, { content = {} }]) =>
      Object.values(content).map((body) => this.shown(status, body)),
    );
    return [...request, ...answers];
  }

  private shown(place: string, { schema, example, examples = {} }: MediaType): ShownBody {
    const named = Object.entries(examples).map(([name, { $ref, value }]): [string, unknown] => [
      name,
      $ref === undefined ? value : this.content.components.examples[nameOf($ref)]?.value,
    ]);
    return { place, schema, examples: example === undefined ? named : [['example', example], ...named] };
  }

  private resolved(response: Response): Response {
    return response.$ref === undefined ? response : (this.content.components.responses[nameOf(response.$ref)] ?? {});
  }
}

const nameOf = (reference: string): string => reference.split('/').at(-1) ?? '';
