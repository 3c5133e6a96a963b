import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ApiError } from '../../errors/api-error';
import type { ErrorCode } from '../../errors/error-catalog';
import { PROBLEM_MEDIA_TYPE, problemOf } from '../../errors/problem';
import { newId } from '../../random';
import { closeLingering } from './lingering-close';

const CODES: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'PAYLOAD_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
};

/** Answers what Node's parser refuses, in the shape of every other error; no handler has seen such a request. */
export function answerClientError(
  cause: NodeJS.ErrnoException,
  stream: Duplex,
  further: Record<string, string> = {},
): void {
  const answering = (stream as Socket & { _httpMessage?: { headersSent: boolean } })._httpMessage;
  if (!stream.writable || cause.code === 'ECONNRESET' || answering?.headersSent) {
    stream.destroy();
    return;
  }
  const requestId = newId();
  const error = new ApiError(CODES[cause.code ?? ''] ?? 'BAD_REQUEST', { cause });
  const body = JSON.stringify(problemOf(error, requestId));
  const headers = {
    ...further,
    'Content-Type': PROBLEM_MEDIA_TYPE,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  stream.write([`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}`, ...lines, '', body].join('\r\n'));
  closeLingering(stream);
}
