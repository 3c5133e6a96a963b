import { Inject, Injectable } from '@nestjs/common';
import { type Request, type Response, Router } from 'express';
import type { Logger } from 'pino';
import { OperatorSessions, SignInRefusedError } from '../../operators/operator-sessions.service';
import { LOGGER } from '../../platform/logger';
import { commandLine } from '../../platform/settings/command-line';
import { AppConfig } from '../../platform/settings/config';
import { newId } from '../../platform/random';
import { type Cookies, ownPath } from '../http/cookies';
import type { Page } from '../http/exchange';
import { CompanyProvider, ProviderUnavailableError, SignInFailedError } from './company-provider';
import { linkPage, providerProblemPage, refusedPage, signInPage } from './sign-in.pages';

const COMPANY_PATH = '/sign-in/company';
const CALLBACK_PATH = `${COMPANY_PATH}/callback`;

/** What the routes need of the listener that serves them. */
interface Listener {
  cookies: Cookies;
  /** The console's public address. */
  address: () => string;
  send: (response: Response, page: Page) => void;
}

/** Signing in: by a one-time link, or with the company's provider. */
@Injectable()
export class SignInRoutes {
  constructor(
    private readonly sessions: OperatorSessions,
    private readonly provider: CompanyProvider,
    private readonly config: AppConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  on(listener: Listener): Router {
    const { cookies, send } = listener;
    const router = Router();
    router.get('/sign-in', (_request, response) => {
      // Where files lie on the server is nobody's business here.
      send(response, signInPage(this.provider.isSet, commandLine(this.config, '…')));
    });
    if (this.provider.isSet) {
      router.get(COMPANY_PATH, (request, response) => this.begin(request, response, listener));
      router.get(CALLBACK_PATH, (request, response) => this.finish(request, response, listener));
    }
    router.get('/sign-in/:token', async ({ params }, response) => {
      send(response, linkPage(await this.sessions.holderOf(params.token)));
    });
    router.post('/sign-in/:token', async (request, response) => {
      const cookie = await this.sessions.signIn(request.params.token, newId(), cookies.session(request));
      if (cookie === null) send(response, linkPage(null));
      else enter(request, response, cookies, cookie);
    });
    return router;
  }

  private async begin({ query }: Request, response: Response, { cookies, address, send }: Listener): Promise<void> {
    try {
      const begun = await this.provider.begin(address() + CALLBACK_PATH, query.fresh !== undefined);
      cookies.setPendingSignIn(response, begun.pending);
      response.redirect(303, begun.address);
    } catch (error) {
      send(response, this.problem(error));
    }
  }

  private async finish(request: Request, response: Response, { cookies, address, send }: Listener): Promise<void> {
    const pending = cookies.pendingSignIn(request);
    // What the provider sends back is good once.
    cookies.clearPendingSignIn(response);
    try {
      const account = await this.provider.finish(address() + request.originalUrl, pending);
      const cookie = await this.sessions.signInByProvider(account, newId(), cookies.session(request));
      enter(request, response, cookies, cookie);
    } catch (error) {
      send(response, this.problem(error));
    }
  }

  private problem(error: unknown): Page {
    if (error instanceof SignInRefusedError) return refusedPage(error.refusal);
    if (!(error instanceof ProviderUnavailableError || error instanceof SignInFailedError)) throw error;
    this.logger.warn({ err: error }, 'An operator could not sign in with the company’s provider');
    return providerProblemPage(error instanceof ProviderUnavailableError);
  }
}

function enter(request: Request, response: Response, cookies: Cookies, session: string): void {
  cookies.setSession(response, session);
  cookies.clearDestination(response);
  response.redirect(303, ownPath(cookies.destination(request)));
}
