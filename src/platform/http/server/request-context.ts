import type { NextFunction, Response } from 'express';
import type { Logger } from 'pino';
import type { Clock } from '../../clock';
import { newId } from '../../random';
import type { Sandbox } from '../../sandbox';
import type { ApiRequest } from '../api-request';
import type { EndedRequest } from './ended-request';

/** The largest body that is read, in bytes. */
export const MAX_BODY_BYTES = 16 * 1024;

const CLIENT_REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** What the log says about the caller; modules add what they find out. */
export interface RequestLog {
  touchpoint?: string;
  subscriber?: string;
  code?: string;
  /** Why it was refused, where the code leaves it open. */
  reason?: string;
  /** How many members of the body are unknown; their names are the client's own. */
  ignoredFields?: number;
}

export interface RequestContextOptions {
  logger: Logger;
  clock: Clock;
  /** Who counts requests. */
  observe: (request: EndedRequest) => void;
  isDraining: () => boolean;
  /** Null everywhere but in a sandbox. */
  sandbox: Sandbox | null;
}

/** The first step of every request: its id, its default headers, its line in the log, its count. */
export function requestContext({ logger, clock, observe, isDraining, sandbox }: RequestContextOptions) {
  return (request: ApiRequest, response: Response<unknown, RequestLog>, next: NextFunction): void => {
    const startedAt = clock.monotonicMs();
    const clientId = request.headers['x-request-id'];
    request.requestId = typeof clientId === 'string' && CLIENT_REQUEST_ID.test(clientId) ? clientId : newId();
    response.setHeader('X-Request-Id', request.requestId);
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('X-Content-Type-Options', 'nosniff');
    for (const [name, value] of Object.entries(sandbox?.headers ?? {})) response.setHeader(name, value);
    // The service does not wait for a body that nobody reads and that is large or may never arrive: the connection
    // closes with the answer.
    request.closesUnlessRead = !isDraining() && isCostlyToSkip(request);
    if (isDraining() || request.closesUnlessRead) response.setHeader('Connection', 'close');

    response.once('close', () => {
      const { method, requestId } = request;
      const { statusCode: status, locals, writableFinished } = response;
      const route = (request.route as { path?: string } | undefined)?.path;
      const durationMs = clock.monotonicMs() - startedAt;
      logger.info({
        requestId,
        method,
        route,
        status,
        ...locals,
        durationMs: Math.round(durationMs * 10) / 10,
        ...(writableFinished ? {} : { aborted: true }),
      });
      const { code, touchpoint } = locals;
      observe({ method, route, touchpoint, status, code, aborted: !writableFinished, durationMs });
    });
    if (sandbox) sandbox.handle(next);
    else next();
  };
}

function isCostlyToSkip({ headers }: ApiRequest): boolean {
  if (headers['transfer-encoding'] !== undefined) return true;
  const length = Number(headers['content-length'] ?? 0);
  return length > MAX_BODY_BYTES || (length > 0 && headers.expect !== undefined);
}
