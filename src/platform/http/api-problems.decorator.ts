import { applyDecorators } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { ErrorCode } from '../errors/error-catalog';

/** Prefix of an extension: with a code it tells the OpenAPI document that an operation can answer this code. */
export const PROBLEM_PREFIX = 'x-problem-';

/** Names errors that a route can answer beside those that every route can; several of these add up. */
export const ApiProblems = (...codes: ErrorCode[]): MethodDecorator =>
  applyDecorators(...codes.map((code) => ApiExtension(PROBLEM_PREFIX + code, true)));
