import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import type { Logger } from 'pino';
import { UnknownEventError } from '../audit/audit-trail.service';
import { isDatabaseUnavailable } from '../platform/database/connection/database-errors';
import { AppConfig } from '../platform/settings/config';
import { LOGGER } from '../platform/logger';
import { newId } from '../platform/random';
import { isUuid } from '../platform/values/uuid';
import { operatorOrigin, OperatorSessions } from '../operators/operator-sessions.service';
import type { SignedInOperator } from '../operators/operator.repository';
import { SentForms } from '../operators/sent-forms.service';
import { consoleAddress } from '../operators/sign-in-link';
import { Cookies } from './http/cookies';
import { type Answer, type ConsoleRequest, NotFoundError, type Page } from './http/exchange';
import { fieldsOf, hasNul } from './http/fields';
import { isForOwnHost, isFromOwnPage } from './http/forgery';
import { ConsolePages } from './pages/console-pages';
import { freshSignInPage, RETURNS } from './sign-in/sign-in.pages';
import { SignInRoutes } from './sign-in/sign-in.routes';
import { forgedPage, problemPage } from './view/problem.page';
import { KEEPS_WHAT_WAS_TYPED, mayUse, NEEDS_FRESH_SIGN_IN, pageOfForm, type Route, ROUTES } from './routes';
import { FORM_ID } from './view/form';
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
  page: Page;
  operator?: SignedInOperator;
}

/** Serves the console on a port of its own. */
@Injectable()
export class ConsoleServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly server = createServer();
  private readonly cookies: Cookies;

  constructor(
    private readonly sessions: OperatorSessions,
    private readonly sentForms: SentForms,
    private readonly pages: ConsolePages,
    private readonly signIn: SignInRoutes,
    private readonly config: AppConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.cookies = new Cookies(config.consoleUrl?.startsWith('https:') ?? false);
  }

  /** Where operators reach it, and null while it does not listen. */
  get address(): string | null {
    return this.server.listening ? consoleAddress(this.config) : null;
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
    // For supervisors, which may use another host name: it says only that the process answers.
    app.get('/health/live', (_request, response) => {
      response.json({ status: 'ok' });
    });
    app.use((request, response, next) => {
      response.set(HEADERS);
      if (isForOwnHost(request, this.ownOrigins())) next();
      else this.send(response, { page: problemPage(421) });
    });
    app.use('/assets', express.static(ASSETS, { cacheControl: false, index: false, redirect: false }));
    app.use((request, response, next) => {
      if (['GET', 'HEAD'].includes(request.method)) next();
      else if (request.method !== 'POST') this.send(response, { page: problemPage(405) });
      else if (!isFromOwnPage(request, this.ownOrigins())) this.send(response, { page: forgedPage() });
      else next();
    });
    app.use(express.urlencoded({ extended: false, limit: FORM_LIMIT, parameterLimit: 100 }));
    app.use((request, response, next) => {
      if (hasNul(request)) this.send(response, { page: problemPage(400) });
      else next();
    });
    app.use(
      this.signIn.on({
        cookies: this.cookies,
        address: () => this.address ?? '',
        send: (response, page) => {
          this.send(response, { page });
        },
      }),
    );
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

  private async handle(route: Route, request: Request, response: Response): Promise<void> {
    const operator = await this.operatorOf(request);
    if (!operator) {
      this.askToSignIn(request, response, route);
      return;
    }
    if (!mayUse(operator.role, route)) {
      this.send(response, { page: problemPage(403), operator });
      return;
    }
    if (NEEDS_FRESH_SIGN_IN.includes(route) && !this.sessions.isFresh(operator)) {
      this.cookies.setDestination(response, pageOfForm(request.path));
      this.send(response, { page: freshSignInPage(this.config.consoleProvider !== undefined), operator });
      return;
    }
    const form = request.method === 'POST' ? fieldsOf(request.body as unknown) : this.typedBefore(request, response);
    if (route === 'POST /sign-out') this.cookies.forgetOperator(response, { returns: RETURNS in form });
    const asked: ConsoleRequest = {
      ...{ operator, origin: operatorOrigin(operator, newId()), form },
      params: fieldsOf(request.params),
      query: fieldsOf(request.query),
    };
    const answer = request.method === 'POST' ? await this.once(route, asked) : await this.pages.handle(route, asked);
    if ('redirect' in answer) response.redirect(303, answer.redirect);
    else if ('download' in answer) {
      response.attachment(answer.download).send(answer.content);
    } else this.send(response, { page: answer, operator }, request.path);
  }

  /** Does what a form asks for unless it has been sent before; a form of ours always has an id. */
  private async once(route: Route, asked: ConsoleRequest): Promise<Answer> {
    const { [FORM_ID]: id = '' } = asked.form;
    if (!isUuid(id)) return problemPage(400);
    if (!(await this.sentForms.spend(id))) return problemPage(409);
    try {
      return await this.pages.handle(route, asked);
    } catch (error) {
      await this.sentForms.release(id);
      throw error;
    }
  }

  private async operatorOf(request: Request): Promise<SignedInOperator | null> {
    const cookie = this.cookies.session(request);
    return cookie === undefined ? null : this.sessions.find(cookie);
  }

  private askToSignIn(request: Request, response: Response, route?: Route): void {
    const isForm = request.method === 'POST';
    const page = isForm ? pageOfForm(request.path) : request.originalUrl;
    if (route !== undefined) this.cookies.setDestination(response, page);
    // Anything else that was typed may be about a consumer.
    if (isForm && route !== undefined && KEEPS_WHAT_WAS_TYPED.includes(route)) {
      this.cookies.setTyped(response, page, fieldsOf(request.body as unknown));
    }
    response.redirect(303, '/sign-in');
  }

  /** What was typed into this page before the operator had to sign in again; it is given once. */
  private typedBefore(request: Request, response: Response): Record<string, string> {
    const typed = this.cookies.typed(request);
    if (Object.keys(typed).length > 0) this.cookies.clearTyped(response);
    return typed;
  }

  private send(response: Response, { page, operator }: Document, path = ''): void {
    const { page: content, status = 200, ...shown } = page;
    response
      .status(status)
      .type('html')
      .send(documentOf({ ...shown, page: content, operator, path, isSandbox: this.config.isSandbox }));
  }

  private fail(error: unknown, request: Request, response: Response): void {
    const status = statusOf(error);
    // Not the address, which may hold the secret of a link.
    const { path: route } = (request.route ?? {}) as { path?: string };
    if (status === 500) this.logger.error({ err: error, route }, 'A page of the console failed');
    if (status === 503) {
      this.logger.warn({ err: error, route }, 'The database did not answer a page of the console');
      response.set('Retry-After', '2');
    }
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
