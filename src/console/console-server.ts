import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import type { Logger } from 'pino';
import { UnknownEventError } from '../audit/audit-trail.service';
import { isDatabaseUnavailable } from '../platform/database/connection/database-errors';
import { AppConfig } from '../platform/config';
import { Clock } from '../platform/clock';
import { LOGGER } from '../platform/logger';
import { newId } from '../platform/random';
import { isUUID } from 'class-validator';
import { operatorOrigin, OperatorSessions } from '../operators/operator-sessions.service';
import { OperatorRepository, type SignedInOperator } from '../operators/operator.repository';
import { consoleAddress } from '../operators/sign-in-link';
import { Cookies } from './http/cookies';
import { type Answer, type ConsoleRequest, NotFoundError } from './http/exchange';
import { isForOwnHost, isFromOwnPage } from './http/forgery';
import { ConsolePages } from './pages/console-pages';
import { freshSignInPage, linkPage, problemPage, signInPage } from './pages/sign-in.pages';
import { mayUse, NEEDS_FRESH_SIGN_IN, type Route, ROUTES } from './routes';
import { FORM_ID } from './view/parts';
import { documentOf } from './view/layout';

const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

const ASSETS = join(__dirname, 'assets');
const FORM_LIMIT = '64kb';

interface Document {
  page: Extract<Answer, { title: string }>;
  operator?: SignedInOperator;
}

/** Serves the console on a port of its own. */
@Injectable()
export class ConsoleServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly server = createServer();
  private readonly cookies: Cookies;

  constructor(
    private readonly sessions: OperatorSessions,
    private readonly operators: OperatorRepository,
    private readonly pages: ConsolePages,
    private readonly config: AppConfig,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.cookies = new Cookies(config.consoleUrl?.startsWith('https:') ?? false);
  }

  /** Where operators reach it, and null while it does not listen. */
  get address(): string | null {
    const bound = this.server.address() as AddressInfo | null;
    return bound && consoleAddress(this.config, bound.port);
  }

  async onApplicationBootstrap(): Promise<void> {
    const { consolePort, host, isProduction, isConsolePortProposed } = this.config;
    this.server.on('request', this.application());
    try {
      await once(this.server.listen(consolePort, isProduction ? host : '127.0.0.1'), 'listening');
    } catch (error) {
      if (!isConsolePortProposed) throw error;
      this.logger.warn({ port: consolePort }, 'The console is off: its port is taken; CONSOLE_PORT sets another');
      return;
    }
    this.logger.info(`The console is ready at ${this.address ?? ''}`);
  }

  async onApplicationShutdown(): Promise<void> {
    if (!this.server.listening) return;
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeIdleConnections();
    await closed;
  }

  private application(): Express {
    const app = express();
    app.disable('x-powered-by');
    app.disable('etag');
    app.set('query parser', 'simple');
    app.use((request, response, next) => {
      response.set(HEADERS);
      if (isForOwnHost(request, this.ownOrigins())) next();
      else this.send(response, { page: problemPage(421) });
    });
    app.use('/assets', express.static(ASSETS, { cacheControl: false, index: false, redirect: false }));
    app.use((request, response, next) => {
      if (['GET', 'HEAD'].includes(request.method)) next();
      else if (request.method !== 'POST') this.send(response, { page: problemPage(405) });
      else if (!isFromOwnPage(request, this.ownOrigins())) this.send(response, { page: problemPage(403) });
      else next();
    });
    app.use(express.urlencoded({ extended: false, limit: FORM_LIMIT, parameterLimit: 100 }));
    this.signInRoutes(app);
    for (const route of Object.keys(ROUTES) as Route[]) {
      const [method, path = ''] = route.split(' ');
      const handle = (request: Request, response: Response) => this.handle(route, request, response);
      if (method === 'POST') app.post(path, handle);
      else app.get(path, handle);
    }
    app.use(async (request, response) => {
      const operator = await this.operatorOf(request);
      if (operator) this.send(response, { page: problemPage(404), operator });
      else this.askToSignIn(request, response);
    });
    app.use((error: unknown, request: Request, response: Response, _next: NextFunction) => {
      this.fail(error, request, response);
    });
    return app;
  }

  private signInRoutes(app: Express): void {
    app.get('/sign-in', (_request, response) => {
      this.send(response, { page: signInPage() });
    });
    app.get('/sign-in/:token', async ({ params }, response) => {
      this.send(response, { page: linkPage(await this.sessions.holderOf(params.token)) });
    });
    app.post('/sign-in/:token', async (request, response) => {
      const cookie = await this.sessions.signIn(request.params.token, newId());
      if (cookie === null) {
        this.send(response, { page: linkPage(null) });
        return;
      }
      this.cookies.setSession(response, cookie);
      response.redirect(303, ownPath(this.cookies.destination(request)));
    });
  }

  private async handle(route: Route, request: Request, response: Response): Promise<void> {
    const operator = await this.operatorOf(request);
    if (!operator) {
      this.askToSignIn(request, response);
      return;
    }
    if (!mayUse(operator.role, route)) {
      this.send(response, { page: problemPage(403), operator });
      return;
    }
    if (NEEDS_FRESH_SIGN_IN.includes(route) && !this.sessions.isFresh(operator)) {
      this.send(response, { page: freshSignInPage(), operator });
      return;
    }
    const form = fieldsOf(request.body as unknown);
    if (request.method === 'POST' && !(await this.isFirstTime(form))) {
      this.send(response, { page: problemPage(409), operator });
      return;
    }
    if (route === 'POST /sign-out') this.cookies.clearSession(response);
    const answer = await this.pages.handle(route, {
      ...{ operator, origin: operatorOrigin(operator, newId()), form },
      params: fieldsOf(request.params),
      query: fieldsOf(request.query),
    } satisfies ConsoleRequest);
    if ('redirect' in answer) response.redirect(303, answer.redirect);
    else if ('download' in answer) {
      response
        .attachment(answer.download)
        .type('json')
        .send(JSON.stringify(answer.json, null, 2));
    } else this.send(response, { page: answer, operator }, request.path);
  }

  /** Whether this form has not been sent before; one without an id was made by nobody's page. */
  private async isFirstTime({ [FORM_ID]: id = '' }: Record<string, string>): Promise<boolean> {
    return isUUID(id) && (await this.operators.spendForm(id, this.clock.now()));
  }

  private async operatorOf(request: Request): Promise<SignedInOperator | null> {
    const cookie = this.cookies.session(request);
    return cookie === undefined ? null : this.sessions.find(cookie);
  }

  private askToSignIn(request: Request, response: Response): void {
    // What was typed is not kept: it may be about a consumer.
    if (request.method === 'GET') this.cookies.setDestination(response, request.originalUrl);
    response.redirect(303, '/sign-in');
  }

  private send(response: Response, { page, operator }: Document, path = ''): void {
    const { title, page: content, status = 200 } = page;
    response
      .status(status)
      .type('html')
      .send(documentOf({ title, page: content, operator, path }));
  }

  private fail(error: unknown, request: Request, response: Response): void {
    const status = statusOf(error);
    if (status === 500)
      this.logger.error({ err: error, path: request.route as unknown }, 'A page of the console failed');
    if (status === 503) response.set('Retry-After', '2');
    this.send(response, { page: problemPage(status) });
  }

  private ownOrigins(): string[] {
    const { port } = this.server.address() as AddressInfo;
    const { consoleUrl } = this.config;
    return consoleUrl === undefined ? [`http://127.0.0.1:${port}`, `http://localhost:${port}`] : [consoleUrl];
  }
}

function statusOf(error: unknown): number {
  if (error instanceof NotFoundError || error instanceof UnknownEventError) return 404;
  if (isDatabaseUnavailable(error)) return 503;
  // What Express itself refuses: a malformed address, a form that is too large.
  const { status } = error as { status?: unknown };
  return typeof status === 'number' && status >= 400 && status < 500 ? status : 500;
}

/** The fields that were sent once. */
function fieldsOf(sent: unknown): Record<string, string> {
  if (typeof sent !== 'object' || sent === null) return {};
  return Object.fromEntries(
    Object.entries(sent).filter((field): field is [string, string] => typeof field[1] === 'string'),
  );
}

/** A path of ours to go on at, and nothing that a browser takes for another host. */
const ownPath = (path = '/'): string => (/^\/(?![/\\])[\x21-\x7e]*$/.test(path) ? path : '/');
