// Fails when docs/openapi.json leaves something unsaid: an operation without a status or an example, a schema, property or
// parameter without a description, a string of any length and shape, or what generators of clients cannot read.
import { readFileSync } from 'node:fs';

/**
 * @typedef {{ $ref?: string, content?: Record<string, { example?: unknown, examples?: object }> }} Body
 * @typedef {{ $ref?: string, name: string, description?: string }} Parameter
 * @typedef {{ requestBody?: Body, responses?: Record<string, Body>, parameters?: Parameter[] }} Operation
 * @typedef {Record<string, unknown> & { $ref?: string, type?: string | string[], description?: string, items?: Schema }} Schema
 * @typedef {Schema & { properties?: Record<string, Schema> }} NamedSchema
 */

const METHODS = ['get', 'post', 'patch', 'put', 'delete'];
const BOUNDS = ['minLength', 'maxLength', 'pattern', 'format', 'enum', 'const'];

/** @typedef {{ paths: Record<string, Record<string, Operation>>, components: { schemas: Record<string, NamedSchema> } }} Document */
const document = /** @type {Document} */ (
  JSON.parse(readFileSync(new URL('../docs/openapi.json', import.meta.url), 'utf8'))
);

/** @type {(body: Body) => Body} */
const resolved = (body) =>
  body.$ref === undefined
    ? body
    : body.$ref
        .slice(2)
        .split('/')
        .reduce((/** @type {any} */ node, name) => node[name], document);

/** @type {(body: Body | undefined) => boolean} */
const isShown = (body) =>
  Object.values((body && resolved(body).content) ?? {}).every(
    ({ example, examples }) => example !== undefined || Object.keys(examples ?? {}).length > 0,
  );

/** @type {(thing: { $ref?: string, description?: string }) => boolean} */
const isDescribed = ({ $ref, description }) => $ref !== undefined || /\w/.test(description ?? '');

/** @type {(schema: Schema) => boolean} */
const isUnbounded = (schema) =>
  [schema.type].flat().includes('string') && !BOUNDS.some((bound) => schema[bound] !== undefined);

/** @type {(schema: Schema) => boolean} */
const isHardToGenerate = (schema) =>
  schema.anyOf !== undefined ||
  schema.oneOf !== undefined ||
  (schema.type === 'boolean' && (schema.enum !== undefined || schema.const !== undefined));

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([method]) => METHODS.includes(method))
    .map(([method, operation]) => ({ line: `${method.toUpperCase()} ${path}`, operation })),
);
const schemas = Object.entries(document.components.schemas);
const properties = schemas.flatMap(([name, schema]) =>
  Object.entries(schema.properties ?? {}).map(([property, value]) => ({ line: `${name}.${property}`, value })),
);

/** @type {[what: string, where: string[]][]} */
const gaps = [
  [
    'without a status',
    operations.filter(({ operation }) => Object.keys(operation.responses ?? {}).length === 0).map(({ line }) => line),
  ],
  [
    'without an example',
    operations
      .filter(
        ({ operation: { requestBody, responses = {} } }) =>
          !isShown(requestBody) || !Object.values(responses).every(isShown),
      )
      .map(({ line }) => line),
  ],
  [
    'parameters without a description',
    operations.flatMap(({ line, operation: { parameters = [] } }) =>
      parameters.filter((parameter) => !isDescribed(parameter)).map(({ name }) => `${line} ${name}`),
    ),
  ],
  ['schemas without a description', schemas.filter(([, schema]) => !isDescribed(schema)).map(([name]) => name)],
  [
    'properties without a description',
    properties.filter(({ value }) => !/\w/.test(value.description ?? '')).map(({ line }) => line),
  ],
  [
    'strings without bounds',
    properties.filter(({ value }) => isUnbounded(value) || isUnbounded(value.items ?? {})).map(({ line }) => line),
  ],
  ['hard to generate', properties.filter(({ value }) => isHardToGenerate(value)).map(({ line }) => line)],
];

console.log(
  [
    `${operations.length} operations, ${schemas.length} schemas, ${properties.length} properties`,
    ...gaps.map(([what, where]) => `${where.length} ${what}`),
  ].join(', '),
);
for (const [what, where] of gaps) for (const line of where) console.log(`${what}: ${line}`);
process.exitCode = operations.length > 0 && gaps.every(([, where]) => where.length === 0) ? 0 : 1;
