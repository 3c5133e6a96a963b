import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  examples?: unknown[];
  enum?: unknown[];
}

interface Parameter {
  $ref?: string;
  name: string;
  in: 'path' | 'query' | 'header';
}

interface Operation {
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: unknown;
}

interface Document {
  paths: Record<string, Record<string, Operation> & { parameters?: Parameter[] }>;
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> };
}

export interface DocumentedOperation {
  method: string;
  path: string;
  headers: string[];
  query: string[];
  mediaTypes: string[];
  /** A body of the examples of all members. */
  example: Record<string, unknown>;
}

const document = JSON.parse(readFileSync(join(__dirname, '../../../docs/openapi.json'), 'utf8')) as Document;
const METHODS = ['get', 'post', 'patch', 'delete'];

/** Every operation that docs/openapi.json describes. */
export const documentedOperations = (): DocumentedOperation[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation ? [described(path, method, operation, item.parameters ?? [])] : [];
    }),
  );

function described(path: string, method: string, operation: Operation, shared: Parameter[]): DocumentedOperation {
  const parameters = [...(operation.parameters ?? []), ...shared].map((parameter) =>
    parameter.$ref === undefined ? parameter : (document.components.parameters[nameOf(parameter.$ref)] ?? parameter),
  );
  const names = (place: Parameter['in']) => parameters.filter((one) => one.in === place).map(({ name }) => name);
  const content = operation.requestBody?.content ?? {};
  const [body] = Object.values(content);
  return {
    method: method.toUpperCase(),
    path,
    headers: names('header'),
    query: names('query'),
    mediaTypes: Object.keys(content),
    example: body ? (exampleOf(body.schema) as Record<string, unknown>) : {},
  };
}

function exampleOf(schema: Schema): unknown {
  if (schema.$ref !== undefined) return exampleOf(document.components.schemas[nameOf(schema.$ref)] ?? {});
  if (schema.examples) return schema.examples[0];
  if (schema.properties) {
    return Object.fromEntries(Object.entries(schema.properties).map(([name, member]) => [name, exampleOf(member)]));
  }
  return schema.items ? [exampleOf(schema.items)] : (schema.enum?.[0] ?? 'text');
}

const nameOf = (reference: string): string => reference.split('/').at(-1) ?? '';
