import type { NextFunction, Request, Response } from 'express';

type Handler = (request: Request, response: Response, next: NextFunction) => unknown;

interface ExactRoute {
  path: string;
  handle: Handler;
}

/** What makes a path a pattern. */
const PATTERN = /[:*{}()]/;

/**
 * The API's routes without parameters, found by one look-up. Express' search and what it prepares for a handler cost
 * more processor time than all else of a small answer; it still serves every other path, method and spelling.
 */
export class ExactRoutes {
  private readonly routes = new Map<string, ExactRoute>();

  add(method: string, path: unknown, handle: unknown): void {
    if (typeof path !== 'string' || !path.startsWith('/api/') || PATTERN.test(path)) return;
    const key = `${method} ${path}`;
    if (!this.routes.has(key)) this.routes.set(key, { path, handle: handle as Handler });
  }

  /** Whether the request has been handed to its route; `next` is where a handler may pass it on to. */
  handle(request: Request, response: Response, next: NextFunction): boolean {
    const route = this.routes.get(`${request.method} ${request.url}`);
    if (!route) return false;
    request.route = route;
    request.params = {};
    route.handle(request, response, next);
    return true;
  }
}
