import type { INestApplication } from '@nestjs/common';
import { SwaggerModule } from '@nestjs/swagger';
import type { Express, NextFunction, Request, RequestHandler, Response } from 'express';
import { ApiAdapter } from '../../platform/http/server/api-adapter';
import { inDialectOf30 } from './openapi-3.0';
import { openApiDocument } from './openapi-document';

/** Without Swagger's own banner; readable on a phone. */
const STYLE = `
.swagger-ui .topbar { display: none }
@media (max-width: 40rem) {
  .swagger-ui .wrapper { padding: 0 12px }
  .swagger-ui select { max-width: 100% }
  .swagger-ui .opblock .opblock-summary { flex-wrap: wrap }
  .swagger-ui .opblock .opblock-summary-description { flex-basis: 100%; padding: 4px 10px }
}`;

/**
 * Only our own scripts and requests, because the page holds credentials. React and Swagger's page use inline styles.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Where Swagger shows the document, and its other paths; it finds its files by their names. */
const PATHS = [
  '/openapi.json',
  '/openapi-3.0.json',
  '/docs',
  '/docs/',
  '/docs/index.html',
  '/docs/LICENSE',
  '/docs/swagger-ui-init.js',
  '/docs/docs/swagger-ui-init.js',
];
const FILE = /^\/docs\/[^/]+\.\w+$/;

/**
 * Serves the document at `/openapi.json`, as OpenAPI 3.0 at `/openapi-3.0.json`, and as a page to try it at `/docs`, to
 * which a browser is redirected from `/`. The document is made at the first request.
 */
export function serveSwaggerUi(app: INestApplication): void {
  let pages: RequestHandler | undefined;
  const serve: RequestHandler = (request, response, next) => {
    pages ??= makePages(app);
    return pages(request, response, next);
  };
  app.use('/docs', (_: Request, response: Response, next: NextFunction) => {
    response.setHeader('Content-Security-Policy', POLICY);
    next();
  });
  const adapter: ApiAdapter = app.getHttpAdapter() as never;
  const express = adapter.getInstance<Express>();
  for (const path of PATHS) express.get(path, serve);
  app.use(async (request: Request, response: Response, next: NextFunction) => {
    const isReading = ['GET', 'HEAD'].includes(request.method);
    if (isReading && FILE.test(request.path)) await serve(request, response, next);
    else if (isReading && request.path === '/' && prefersPage(request)) leadToDocs(response);
    else next();
  });
}

/** Whether a browser asks: a program accepts anything, or does not accept HTML. */
const prefersPage = (request: Request): boolean => request.accepts(['application/problem+json', 'html']) === 'html';

function leadToDocs(response: Response): void {
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Vary', 'Accept');
  response.redirect('/docs');
}

function makePages(app: INestApplication): RequestHandler {
  const document = openApiDocument(app);
  const pages = new ApiAdapter();
  const documentOf30 = inDialectOf30(document);
  pages.get('/openapi-3.0.json', (_: Request, response: Response) => response.json(documentOf30));
  const site = {
    getHttpAdapter: () => pages,
    useStaticAssets: pages.useStaticAssets.bind(pages),
  } as unknown as INestApplication;
  SwaggerModule.setup('docs', site, document, {
    raw: ['json'],
    jsonDocumentUrl: 'openapi.json',
    customSiteTitle: 'Consumer service API',
    customCss: STYLE,
    swaggerOptions: {
      tryItOutEnabled: true,
      displayRequestDuration: true,
      defaultModelsExpandDepth: 0,
    },
  });
  return pages.getInstance();
}
