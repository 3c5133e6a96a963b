import type { OpenAPIObject } from '@nestjs/swagger';

export interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  allOf?: Schema[];
  enum?: unknown[];
  example?: unknown;
}

export type Json = Record<string, unknown>;

/** The document with its schemas named for readers: `SessionDto` is `Session`. */
export function withoutSuffix(suffix: string, document: OpenAPIObject): OpenAPIObject {
  const pattern = new RegExp(`^(#/components/schemas/\\w+)${suffix}$`);
  const renamed = mapNodes(document, (node) =>
    typeof node.$ref === 'string' ? { ...node, $ref: node.$ref.replace(pattern, '$1') } : node,
  ) as OpenAPIObject;
  const named = Object.entries(renamed.components?.schemas ?? {}).map(([name, schema]) => [
    name.endsWith(suffix) ? name.slice(0, -suffix.length) : name,
    schema,
  ]);
  return { ...renamed, components: { ...renamed.components, schemas: Object.fromEntries(named) as never } };
}

/** An example built from those of a schema's properties; `undefined` if there is none. */
export function exampleOf(schema: Schema, schemas: Record<string, Schema>): unknown {
  if (schema.example !== undefined) return schema.example;
  if (schema.enum) return schema.enum[0];
  const target = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (target !== undefined) return exampleOf(schemas[target.split('/').at(-1) ?? ''] ?? {}, schemas);
  if (schema.items) {
    const item = exampleOf(schema.items, schemas);
    return item === undefined ? [] : [item];
  }
  if (!schema.properties) return undefined;
  const members = Object.entries(schema.properties).map(
    ([name, member]) => [name, exampleOf(member, schemas)] as const,
  );
  return Object.fromEntries(members.filter(([, example]) => example !== undefined));
}

/** The document in the form of OpenAPI 3.1: a schema has a list of examples, and a reference may have siblings. */
export const inDialectOf31 = (document: OpenAPIObject): OpenAPIObject =>
  mapNodes(document, (node) => withPlainReference(withExampleList(node))) as OpenAPIObject;

function withPlainReference(node: Json): Json {
  const { allOf, ...siblings } = node;
  return Array.isArray(allOf) && allOf.length === 1 ? { ...(allOf[0] as Json), ...siblings } : node;
}

function withExampleList(node: Json): Json {
  const { example, ...schema } = node;
  const isSchema = typeof schema.type === 'string' || Array.isArray(schema.type) || '$ref' in schema;
  return isSchema && example !== undefined ? { ...schema, examples: [example] } : node;
}

/** A copy in which every object, the innermost first, has been replaced. */
export function mapNodes(value: unknown, replace: (node: Json) => Json): unknown {
  if (Array.isArray(value)) return value.map((item) => mapNodes(item, replace));
  if (typeof value !== 'object' || value === null) return value;
  return replace(Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mapNodes(member, replace)])));
}
