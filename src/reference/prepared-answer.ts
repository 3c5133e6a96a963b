import type { Request, Response } from 'express';
import { ifNoneMatchHolds, strongEntityTag } from '../platform/http/entity-tag';

/** A public JSON answer whose bytes and headers are made once and sent as they are (RFC 9111, section 3). */
export class PreparedAnswer {
  private readonly body: Buffer;
  private readonly etag: string;
  /** What a 304 repeats (RFC 9110, section 15.4.5). */
  private readonly cacheHeaders: Record<string, string>;
  private readonly headers: Record<string, string>;

  constructor(value: unknown, extraHeaders: Record<string, string> = {}) {
    this.body = Buffer.from(JSON.stringify(value));
    this.etag = strongEntityTag(this.body);
    this.cacheHeaders = {
      ETag: this.etag,
      'Cache-Control': 'public, max-age=86400',
      // The credential is named too, so that no shared cache hands the answer to someone without one.
      Vary: 'X-Touchpoint-Code, X-Touchpoint-Key, Accept-Language',
      ...extraHeaders,
    };
    this.headers = {
      ...this.cacheHeaders,
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': String(this.body.length),
    };
  }

  /** Not with `request.fresh`: Express disregards `If-None-Match` beside the `Cache-Control: no-cache` that `fetch` adds to it. */
  send(request: Request, response: Response): void {
    if (ifNoneMatchHolds(request.headers['if-none-match'], this.etag)) {
      response.writeHead(200, this.headers).end(this.body);
    } else {
      response.writeHead(304, this.cacheHeaders).end();
    }
  }
}
