import type { INestApplication } from '@nestjs/common';
import { SwaggerModule } from '@nestjs/swagger';
import type { NextFunction, Request, Response } from 'express';
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

/** Serves the document at `/openapi.json`, and at `/docs` the page that shows it and tries it out. */
export function serveSwaggerUi(app: INestApplication): void {
  app.use('/docs', (_: Request, response: Response, next: NextFunction) => {
    response.setHeader('Content-Security-Policy', POLICY);
    next();
  });
  SwaggerModule.setup('docs', app, () => openApiDocument(app), {
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
