import type { OpenAPIObject } from '@nestjs/swagger';
import { type Json, mapNodes, type Schema } from './schemas';

/** The OpenAPI 3.1 document converted to 3.0.3, for generators that read nothing newer. */
export function inDialectOf30(document: OpenAPIObject): OpenAPIObject {
  const schemas = Object.entries(document.components?.schemas ?? {}) as [string, Schema][];
  const nullable = schemas
    .filter(([, { type }]) => type?.includes('null'))
    .map(([name]) => `#/components/schemas/${name}`);
  const converted = mapNodes(document, (node) =>
    withLoneReference(withOneType(withExample(withEnum(withAnyProperty(node)))), nullable),
  ) as OpenAPIObject;
  return { ...converted, openapi: '3.0.3' };
}

/** Generators know the type "any" only if the schema says so. */
function withAnyProperty(node: Json): Json {
  const { additionalProperties: values } = node;
  const isAny = typeof values === 'object' && values !== null && Object.keys(values).length === 0;
  return isAny ? { ...node, additionalProperties: true } : node;
}

function withEnum({ const: value, ...node }: Json): Json {
  return value === undefined ? node : { ...node, enum: [value] };
}

/** Those of a schema are a list, those of a body have names and stay. */
function withExample({ examples, ...node }: Json): Json {
  if (!Array.isArray(examples)) return examples === undefined ? node : { ...node, examples };
  return { ...node, example: examples[0] as unknown };
}

/** 3.0 has no type null, and no list of types: a value of several types becomes any value. */
function withOneType({ type, ...node }: Json): Json {
  if (!Array.isArray(type)) return type === undefined ? node : { type, ...node };
  const [only, ...others] = type.filter((name) => name !== 'null') as string[];
  if (others.length > 0) return node;
  return { type: only, ...(type.includes('null') && { nullable: true }), ...node };
}

/** Readers of 3.0 ignore siblings of a reference, and do not look for null in what it points to. */
function withLoneReference(node: Json, nullable: string[]): Json {
  const { $ref, ...siblings } = node;
  if (typeof $ref !== 'string') return node;
  if (nullable.includes($ref)) return { type: 'object', nullable: true, allOf: [{ $ref }], ...siblings };
  return Object.keys(siblings).length === 0 ? node : { allOf: [{ $ref }], ...siblings };
}
