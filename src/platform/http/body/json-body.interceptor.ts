import type { IncomingMessage } from 'node:http';
import { MIMEType } from 'node:util';
import type { CallHandler, ExecutionContext, NestInterceptor, Type } from '@nestjs/common';
import type { Response } from 'express';
import { from, mergeMap, type Observable } from 'rxjs';
import { ApiError } from '../../errors/api-error';
import type { ApiRequest } from '../api-request';
import { IGNORED_FIELDS, ignoredFieldsValue, knownFields } from './ignored-fields';
import { MAX_BODY_BYTES, type RequestLog } from '../server/request-context';
import { judgeAgain } from '../standing';
import { type JsonObject, parseStrictJson } from './strict-json';

/**
 * Reads the JSON body of a route that takes one (`ReadsJson`). As an interceptor it runs after every guard, so that no
 * body is read before the credentials are checked; they are checked again if the body arrives late. Other routes do not
 * have it, because one interceptor doubles the cost of Nest.
 */
export class JsonBodyInterceptor implements NestInterceptor {
  private readonly known: Set<string>;

  constructor(Body: Type) {
    this.known = knownFields(Body);
  }

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<ApiRequest>();
    const response = http.getResponse<Response<unknown, RequestLog>>();
    return from(readJson(request, response)).pipe(
      mergeMap((body) => {
        this.tellIgnored(body, response);
        request.body = body;
        return next.handle();
      }),
    );
  }

  /** Whatever the answer will be: otherwise a misspelt name would be noticed too late. */
  private tellIgnored(body: JsonObject, response: Response<unknown, RequestLog>): void {
    const ignored = Object.keys(body).filter((name) => !this.known.has(name));
    if (ignored.length === 0) return;
    const value = ignoredFieldsValue(ignored);
    if (value !== '') response.setHeader(IGNORED_FIELDS, value);
    response.locals.ignoredFields = ignored.length;
  }
}

async function readJson(request: ApiRequest, response: Response): Promise<JsonObject> {
  const declaredLength = Number(request.headers['content-length'] ?? 0);
  const hasBody = declaredLength > 0 || request.headers['transfer-encoding'] !== undefined;
  if (declaredLength > MAX_BODY_BYTES) throw new ApiError('PAYLOAD_TOO_LARGE');
  if (!hasBody && request.headers['content-type'] === undefined) return {};
  requireJson(request);
  if (request.headers.expect !== undefined) response.writeContinue();
  const hasArrived = request.complete;
  const body = await readBytes(request).finally(() => (hasArrived ? undefined : judgeAgain(request)));
  if (request.closesUnlessRead) response.removeHeader('Connection');
  return parseStrictJson(body);
}

function requireJson({ method, headers }: IncomingMessage): void {
  const accepted = method === 'PATCH' ? ['application/json', 'application/merge-patch+json'] : ['application/json'];
  const type = parseMediaType(headers['content-type']);
  const charset = type?.params.get('charset') ?? 'utf-8';
  const isJson = type !== null && accepted.includes(type.essence) && charset.toLowerCase() === 'utf-8';
  if (!isJson || headers['content-encoding'] !== undefined) {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', {
      detail: `The body must be ${accepted.join(' or ')} in UTF-8, without a content encoding.`,
    });
  }
}

function parseMediaType(value: string | undefined): MIMEType | null {
  try {
    return new MIMEType(value ?? '');
  } catch {
    return null;
  }
}

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) break;
      chunks.push(chunk);
    }
  } catch (cause) {
    throw new ApiError('BAD_REQUEST', { detail: 'The body did not arrive whole.', cause });
  }
  if (size > MAX_BODY_BYTES) throw new ApiError('PAYLOAD_TOO_LARGE');
  return Buffer.concat(chunks);
}
