import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type NextFunction, type Response } from 'express';
import type { ApiRequest } from '../api-request';
import { answerClientError } from './client-error';
import { closeServer } from './close-server';
import { IncomingRequest, OutgoingAnswer } from './http-messages';
import { closeLingering } from './lingering-close';
import { inTurn } from './pipelined-requests';
import { routableTarget } from './request-target';

/** How long a client may take, and what Node's HTTP parser accepts from it; times in milliseconds. */
const SERVER_LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16 * 1024,
};

const CLASSES = { IncomingMessage: IncomingRequest, ServerResponse: OutgoingAnswer };

type FirstStep = (request: ApiRequest, response: Response, next: NextFunction) => void;

/** Express as this API needs it: exact paths, no extra features, and no answer before our own code. */
export class ApiAdapter extends ExpressAdapter {
  /** The connections of its server, and the answers under way. */
  readonly open = { sockets: new Set<Socket>(), responses: new Set<ServerResponse>() };
  private begin: FirstStep = (_request, _response, next) => {
    next();
  };

  /** `headers` come with what Node's parser refuses. */
  constructor(private readonly headers: Record<string, string> = {}) {
    const app = express();
    app.enable('case sensitive routing');
    app.enable('strict routing');
    app.disable('x-powered-by');
    app.disable('etag');
    app.set('query parser', false);
    super(app);
  }

  /** The first step of every request, however it is routed. */
  beginWith(step: FirstStep): void {
    this.begin = step;
  }

  override initHttpServer(): void {
    const app = this.getInstance<RequestListener>();
    const begin = (message: IncomingMessage, serverResponse: ServerResponse) => {
      const [request, response] = [message as ApiRequest, serverResponse as Response];
      this.begin(request, response, () => {
        request.url = routableTarget(request.url);
        app(request, response);
      });
    };
    const refuse = (cause: Error, stream: Duplex) => {
      answerClientError(cause, stream, this.headers);
    };
    const handle = (request: IncomingMessage, response: ServerResponse) => {
      inTurn(request.socket, response, () => {
        // Not before its turn: Node does not report the close of a response that never has one.
        this.open.responses.add(response);
        response.once('close', () => this.open.responses.delete(response));
        if (!isFramedTwice(request)) begin(request, response);
        else refuse(new Error('The length of the body is told in more than one way'), request.socket);
      });
    };
    // Node would answer a missing Host and an `Expect` header before the credential is checked.
    const server: Server = createServer({ ...SERVER_LIMITS, ...CLASSES, requireHostHeader: false }, handle);
    // Their size is the limit: beyond a number of headers Node would hide the rest, but still find the end of the body
    // by them.
    server.maxHeadersCount = 0;
    server.on('checkContinue', handle);
    server.on('checkExpectation', (request: ApiRequest, response) => {
      request.unknownExpectation = true;
      handle(request, response);
    });
    server.on('clientError', refuse);
    server.on('connection', (socket) => {
      this.open.sockets.add(socket);
      socket.once('close', () => this.open.sockets.delete(socket));
      // What Node calls to close a connection after its last answer.
      socket.destroySoon = () => {
        closeLingering(socket);
      };
    });
    this.httpServer = server;
  }

  override close(): Promise<void> {
    return closeServer(this.getHttpServer(), this.open);
  }

  /**
   * Sent whole, cached for an hour, without entity tags: Express makes them from file dates, which npm sets equal for all
   * versions.
   */
  override useStaticAssets(path: string, options: { prefix?: string } = {}): this {
    const setHeaders = (response: ServerResponse) => response.setHeader('Cache-Control', 'public, max-age=3600');
    const plain = { acceptRanges: false, etag: false, lastModified: false };
    return super.useStaticAssets(path, { ...options, ...plain, setHeaders }) as this;
  }

  /**
   * One text, which Node sends with its headers in one write: Express’ `json` and `send` cost more than the routing.
   */
  override reply(response: ServerResponse, body: unknown, statusCode?: number): void {
    if (statusCode !== undefined) response.statusCode = statusCode;
    if (body === undefined) {
      response.end();
      return;
    }
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    if (typeof body !== 'string') response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.setHeader('Content-Length', Buffer.byteLength(text));
    response.end(text);
  }
}

/**
 * Bodies whose end another server could see elsewhere, and that Node accepts: codings beside `chunked`, or a length
 * beside them (RFC 9112, section 6.1).
 */
function isFramedTwice({ headers }: IncomingMessage): boolean {
  const { 'transfer-encoding': coding, 'content-length': length } = headers;
  return coding !== undefined && (coding.toLowerCase() !== 'chunked' || length !== undefined);
}
