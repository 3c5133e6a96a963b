import { ApiExtension } from '@nestjs/swagger';
import type { ErrorCode } from '../errors/error-catalog';

/** Where the OpenAPI document finds the codes of an operation, to turn them into its responses. */
export const PROBLEM_CODES = 'x-problem-codes';

/** Names errors that a route can answer beside those that every route can; several of these add up. */
export const ApiProblems =
  (...codes: ErrorCode[]): MethodDecorator =>
  (target, key, descriptor) => {
    const handler = descriptor.value as object;
    const known = (Reflect.getMetadata(PROBLEM_CODES, handler) ?? []) as ErrorCode[];
    const all = [...new Set([...known, ...codes])];
    Reflect.defineMetadata(PROBLEM_CODES, all, handler);
    ApiExtension(PROBLEM_CODES, all)(target, key, descriptor as PropertyDescriptor);
  };
