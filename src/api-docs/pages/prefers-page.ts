import type { Request } from 'express';

/** Whether a browser asks: a program accepts anything, or does not accept HTML. */
export const prefersPage = (request: Request): boolean =>
  request.accepts(['application/problem+json', 'html']) === 'html';
