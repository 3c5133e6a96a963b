import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import express from 'express';
import type { ApiRequest } from './api-request';
import { answerClientError } from './client-error';
import { closeLingering } from './lingering-close';
import { routableTarget } from './request-target';

/** How long a client may take, and how much of Node's HTTP parser it may use; times in milliseconds. */
const SERVER_LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16 * 1024,
};
const MAX_HEADERS = 100;

/** Express as this API needs it: exact paths, no conveniences, and no answer before our own code has been asked. */
export class ApiAdapter extends ExpressAdapter {
  constructor() {
    const app = express();
    app.enable('case sensitive routing');
    app.enable('strict routing');
    app.disable('x-powered-by');
    app.disable('etag');
    app.set('query parser', false);
    super(app);
  }

  override initHttpServer(): void {
    const app = this.getInstance<(request: IncomingMessage, response: ServerResponse) => void>();
    const handle = (request: IncomingMessage, response: ServerResponse) => {
      request.url = routableTarget(request.url ?? '');
      app(request, response);
    };
    // Node would answer a missing Host and an `Expect` header before the credential has been judged.
    const server: Server = createServer({ ...SERVER_LIMITS, requireHostHeader: false }, handle);
    server.maxHeadersCount = MAX_HEADERS;
    server.on('checkContinue', handle);
    server.on('checkExpectation', (request: ApiRequest, response) => {
      request.unknownExpectation = true;
      handle(request, response);
    });
    server.on('clientError', answerClientError);
    // What Node calls to close a connection after its last answer.
    server.on('connection', (socket) => {
      socket.destroySoon = () => {
        closeLingering(socket);
      };
    });
    this.httpServer = server;
  }

  /** Whole, kept for an hour and not compared: npm gives every file of every version one date, of which Express makes weak entity tags. */
  override useStaticAssets(path: string, options: { prefix?: string } = {}): this {
    const setHeaders = (response: ServerResponse) => response.setHeader('Cache-Control', 'public, max-age=3600');
    const plain = { acceptRanges: false, etag: false, lastModified: false };
    return super.useStaticAssets(path, { ...options, ...plain, setHeaders }) as this;
  }

  /** One buffer, one write: Express' own `json` and `send` cost more than the routing. */
  override reply(response: ServerResponse, body: unknown, statusCode?: number): void {
    if (statusCode !== undefined) response.statusCode = statusCode;
    if (body === undefined) {
      response.end();
      return;
    }
    const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    if (typeof body !== 'string') response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.setHeader('Content-Length', bytes.length);
    response.end(bytes);
  }
}
