import type { INestApplication } from '@nestjs/common';
import { SwaggerModule } from '@nestjs/swagger';
import type { Express, NextFunction, Request, RequestHandler, Response } from 'express';
import { ApiAdapter } from '../../platform/http/server/api-adapter';
import { PAGE_POLICY, REFERENCE_POLICY } from '../pages/content-policy';
import { htmlAnswer } from '../pages/site.service';
import type { PreparedAnswer } from '../../platform/http/prepared-answer';
import { inDialectOf30 } from './openapi-3.0';
import { openApiDocument } from './openapi-document';

/** Where the document is shown. */
const PAGE = ['/docs', '/docs/', '/docs/index.html'];
/** What else Swagger serves; it finds its files by their names. */
const PATHS = [...PAGE, '/openapi.json', '/openapi-3.0.json', '/docs/LICENSE', '/docs/swagger-ui-init.js'];

interface SwaggerUi {
  React: {
    createElement: (type: unknown, props: object | null, text?: unknown) => unknown;
    useLayoutEffect: (effect: () => void, dependencies: []) => void;
  };
}

/** Paths as text: Swagger makes them links within a button, which a screen reader cannot tell apart. Runs in the browser. */
const PATHS_ARE_TEXT = () => ({
  wrapComponents: {
    DeepLink:
      (_: unknown, { React }: SwaggerUi) =>
      ({ text }: { text: unknown }) =>
        React.createElement('span', null, text),
  },
});
/** The dialog begins at its first field: each of Swagger's fields takes the focus, so the last has it. Runs in the browser. */
const FIRST_FIELD_FIRST = () => ({
  wrapComponents: {
    authorizationPopup: (Dialog: unknown, { React }: SwaggerUi) =>
      function AuthorizationDialog(props: object) {
        React.useLayoutEffect(() => {
          document.querySelector('.modal-ux-content')?.scrollTo(0, 0);
          document.querySelector<HTMLElement>('.modal-ux-content input')?.focus();
        }, []);
        return React.createElement(Dialog, props);
      },
  },
});

const FILE = /^\/docs\/[^/]+\.\w+$/;

/**
 * Serves the document at `/openapi.json`, as OpenAPI 3.0 at `/openapi-3.0.json`, and as a page to try it at `/docs`. The
 * document is made at the first request.
 */
export function serveSwaggerUi(app: INestApplication): void {
  let pages: RequestHandler | undefined;
  const serve: RequestHandler = (request, response, next) => {
    pages ??= makePages(app);
    return pages(request, response, next);
  };
  app.use('/docs', (_: Request, response: Response, next: NextFunction) => {
    response.setHeader('Content-Security-Policy', PAGE_POLICY);
    next();
  });
  const adapter: ApiAdapter = app.getHttpAdapter() as never;
  const express = adapter.getInstance<Express>();
  // As routes, so that another method is told which ones there are.
  for (const path of PATHS) express.get(path, serve);
  app.use((request: Request, response: Response, next: NextFunction) => {
    if (FILE.test(request.path) && ['GET', 'HEAD'].includes(request.method)) return serve(request, response, next);
    next();
  });
}

function makePages(app: INestApplication): RequestHandler {
  const document = openApiDocument(app);
  const pages = new ApiAdapter();
  const documentOf30 = inDialectOf30(document);
  pages.get('/openapi-3.0.json', (_: Request, response: Response) => response.json(documentOf30));
  // Before Swagger's own page, which is not like the others.
  let page: PreparedAnswer | undefined;
  pages.getInstance<Express>().get(PAGE, async (request, response) => {
    page ??= htmlAnswer((await import('../pages/layout.js')).referenceDocument(), REFERENCE_POLICY);
    page.send(request, response);
  });
  const site = {
    getHttpAdapter: () => pages,
    useStaticAssets: pages.useStaticAssets.bind(pages),
  } as unknown as INestApplication;
  SwaggerModule.setup('docs', site, document, {
    raw: ['json'],
    jsonDocumentUrl: 'openapi.json',
    swaggerOptions: {
      plugins: [PATHS_ARE_TEXT, FIRST_FIELD_FIRST],
      persistAuthorization: true,
      tryItOutEnabled: true,
      displayRequestDuration: true,
      defaultModelsExpandDepth: 0,
    },
  });
  return pages.getInstance();
}
