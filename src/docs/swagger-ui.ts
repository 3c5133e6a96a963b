import type { INestApplication } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { ApiAdapter } from '../platform/http/api-adapter';
import { loadSwagger } from '../platform/openapi';
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

/** Scripts and requests are our own only: the page holds credentials. React and Swagger's page style elements in place. */
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

const PATHS = /^\/(docs|openapi\.json)(\/|$)/;

/** Serves the document at `/openapi.json`, and at `/docs` the page that shows it and tries it out; both are made at the first request. */
export function serveSwaggerUi(app: INestApplication): void {
  const pages = new ApiAdapter();
  let added: Promise<void> | undefined;
  app.use(async (request: Request, _: Response, next: NextFunction) => {
    if (PATHS.test(request.path)) await (added ??= addPages(pages, app));
    next();
  });
  app.use('/docs', (_: Request, response: Response, next: NextFunction) => {
    response.setHeader('Content-Security-Policy', POLICY);
    next();
  });
  app.use(pages.getInstance());
}

async function addPages(pages: ApiAdapter, app: INestApplication): Promise<void> {
  const { SwaggerModule } = await loadSwagger();
  const document = await openApiDocument(app);
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
}
