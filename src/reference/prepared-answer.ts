import type { Request, Response } from 'express';
import { ifNoneMatchHolds, strongEntityTag } from '../platform/http/entity-tag';

/** A public JSON answer whose bytes and headers are made once (RFC 9111, section 3). */
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
      // Names the credential too, so that no shared cache gives the answer to a client without one.
      Vary: 'X-Touchpoint-Code, X-Touchpoint-Key, Accept-Language',
      ...extraHeaders,
    };
    this.headers = {
      ...this.cacheHeaders,
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': String(this.body.length),
    };
  }

  /**
   * Not `request.fresh`: Express ignores `If-None-Match` if `Cache-Control: no-cache` is sent too, which `fetch` adds.
   */
  send(request: Request, response: Response): void {
    if (ifNoneMatchHolds(request.headers['if-none-match'], this.etag)) {
      response.writeHead(200, this.headers).end(this.body);
    } else {
      response.writeHead(304, this.cacheHeaders).end();
    }
  }
}
