// Counts the operations of docs/openapi.json that lack a status, or an example of what is sent or answered.
import { readFileSync } from 'node:fs';

/**
 * @typedef {{ $ref?: string, content?: Record<string, { example?: unknown, examples?: object }> }} Body
 * @typedef {{ requestBody?: Body, responses?: Record<string, Body> }} Operation
 */

const METHODS = ['get', 'post', 'patch', 'put', 'delete'];
const document = /** @type {{ paths: Record<string, Record<string, Operation>> }} */ (
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

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([method]) => METHODS.includes(method))
    .map(([method, operation]) => ({ line: `${method.toUpperCase()} ${path}`, operation })),
);
const withoutStatus = operations.filter(({ operation: { responses = {} } }) => Object.keys(responses).length === 0);
const withoutExample = operations.filter(
  ({ operation: { requestBody, responses = {} } }) => !isShown(requestBody) || !Object.values(responses).every(isShown),
);

console.log(
  `${operations.length} operations, ${withoutStatus.length} without a status, ${withoutExample.length} without an example`,
);
for (const { line } of [...withoutStatus, ...withoutExample]) console.log(line);
process.exitCode = operations.length > 0 && withoutStatus.length + withoutExample.length === 0 ? 0 : 1;
