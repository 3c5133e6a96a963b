import { HttpException } from '@nestjs/common';
import type { ErrorCode } from './error-catalog';

const CODES: Record<number, ErrorCode> = { 404: 'NOT_FOUND', 412: 'PRECONDITION_FAILED' };

/** Our code for what Nest and Express' libraries refuse; null for a fault. */
export function codeOfForeignRefusal(error: unknown): ErrorCode | null {
  const status = statusForClient(error);
  return status >= 400 && status < 500 ? (CODES[status] ?? 'BAD_REQUEST') : null;
}

/** A status that another server answered us is not an answer to our client: `expose` distinguishes the two. */
function statusForClient(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  const { expose, status } = (error ?? {}) as { expose?: unknown; status?: unknown };
  return expose === true ? Number(status) : 500;
}
