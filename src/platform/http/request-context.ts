import type { NextFunction, Response } from 'express';
import type { Logger } from 'pino';
import type { Clock } from '../clock';
import { newId } from '../random';
import type { ApiRequest } from './api-request';
import { MAX_BODY_BYTES } from './json-body.interceptor';

const CLIENT_REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** No route has this path: what Express would answer itself, before any guard, is sent to the fallback by it. */
const UNROUTABLE_PATH = '/-';

/** What the log says of the caller: modules add to it what they establish. */
export interface RequestLog {
  touchpoint?: string;
  code?: string;
}

/** The first step of every request: its id, its default headers, its line in the log. */
export function requestContext(logger: Logger, clock: Clock, isDraining: () => boolean) {
  return (request: ApiRequest, response: Response<unknown, RequestLog>, next: NextFunction): void => {
    const startedAt = clock.monotonicMs();
    const clientId = request.headers['x-request-id'];
    request.requestId = typeof clientId === 'string' && CLIENT_REQUEST_ID.test(clientId) ? clientId : newId();
    response.setHeader('X-Request-Id', request.requestId);
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('X-Content-Type-Options', 'nosniff');
    // A large body that nobody reads must not be waited for: its connection ends with the answer.
    request.closesUnlessRead = !isDraining() && hasLargeBody(request);
    if (isDraining() || request.closesUnlessRead) response.setHeader('Connection', 'close');
    if (!isDecodable(request.url)) request.url = UNROUTABLE_PATH;

    response.once('close', () => {
      logger.info({
        requestId: request.requestId,
        method: request.method,
        route: (request.route as { path?: string } | undefined)?.path,
        status: response.statusCode,
        ...response.locals,
        durationMs: Math.round((clock.monotonicMs() - startedAt) * 10) / 10,
        ...(response.writableFinished ? {} : { aborted: true }),
      });
    });
    next();
  };
}

function hasLargeBody({ headers }: ApiRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES;
}

function isDecodable(url: string): boolean {
  if (!url.startsWith('/') && !URL.canParse(url)) return false;
  try {
    decodeURIComponent(url.split('?', 1)[0] ?? '');
    return true;
  } catch {
    return false;
  }
}
