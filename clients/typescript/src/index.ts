export * from './client.js';
export { ApiProblem, type FieldProblem, type ProblemCode } from './problem.js';
export type { RetryOptions } from './retrying-fetch.js';
