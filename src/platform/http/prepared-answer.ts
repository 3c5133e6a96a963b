import type { Request, Response } from 'express';
import { ifNoneMatchHolds, strongEntityTag } from './entity-tag';

/** A public answer whose bytes and headers are made once (RFC 9111, section 3). */
export class PreparedAnswer {
  private readonly etag: string;
  /** What a 304 repeats (RFC 9110, section 15.4.5). */
  private readonly cacheHeaders: Record<string, string>;
  private readonly headers: Record<string, string>;

  constructor(
    private readonly body: Buffer,
    contentType: string,
    headers: Record<string, string>,
  ) {
    this.etag = strongEntityTag(body);
    this.cacheHeaders = { ETag: this.etag, ...headers };
    this.headers = {
      ...this.cacheHeaders,
      'Content-Type': contentType,
      'Content-Length': String(body.length),
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
