import type { Answer } from './api-client';

/** What a test reads of an error. */
export interface ProblemBody {
  code: string;
  requestId: string;
  errors?: { field: string; code: string; params?: Record<string, number> }[];
}

/** Each violation as `field CODE`, in the order of the alphabet. */
export const violationsOf = ({ body }: Answer<ProblemBody>): string[] =>
  (body.errors ?? []).map(({ field, code }) => `${field} ${code}`).sort();

/** The status of an error and its code. */
export const refusalOf = ({ status, body }: Answer<ProblemBody>): [number, string] => [status, body.code];
