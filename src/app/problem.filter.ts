import { type ArgumentsHost, Catch, type ExceptionFilter, Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { Logger } from 'pino';
import { Refusals } from '../audit/refusals.service';
import { isDatabaseUnavailable } from '../platform/database/connection/database-errors';
import type { ApiRequest } from '../platform/http/api-request';
import type { RequestLog } from '../platform/http/server/request-context';
import { LOGGER } from '../platform/logger';
import { ApiError } from '../platform/errors/api-error';
import { codeOfForeignRefusal } from '../platform/errors/foreign-errors';
import { PROBLEM_MEDIA_TYPE, problemOf } from '../platform/errors/problem';

/** Writes every error; a fault is logged, and its cause is not sent. */
@Catch()
@Injectable()
export class ProblemFilter implements ExceptionFilter {
  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly refusals: Refusals,
  ) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<ApiRequest>();
    const { requestId } = request;
    const response = http.getResponse<Response<unknown, RequestLog>>();
    const error = this.toApiError(exception, requestId);
    this.refusals.record(request, response.locals.touchpoint ?? null, error);
    Object.assign(response.locals, { code: error.code, reason: error.refusal.reason });
    if (response.headersSent || response.destroyed) {
      response.destroy();
      return;
    }
    const body = Buffer.from(JSON.stringify(problemOf(error, requestId)));
    response.writeHead(error.status, {
      ...error.headers,
      'Cache-Control': 'no-store',
      'Content-Type': PROBLEM_MEDIA_TYPE,
      'Content-Length': body.length,
    });
    response.end(body);
  }

  private toApiError(exception: unknown, requestId: string): ApiError {
    if (exception instanceof ApiError) return exception;
    const foreign = codeOfForeignRefusal(exception);
    if (foreign) return new ApiError(foreign, { cause: exception });
    if (isDatabaseUnavailable(exception)) {
      this.logger.warn({ requestId, err: exception }, 'The database cannot answer');
      return new ApiError('SERVICE_UNAVAILABLE', { cause: exception });
    }
    this.logger.error({ requestId, err: exception }, 'A request failed unexpectedly');
    return new ApiError('INTERNAL', { cause: exception });
  }
}
