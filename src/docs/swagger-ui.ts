import type { INestApplication } from '@nestjs/common';
import { SwaggerModule } from '@nestjs/swagger';
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

/** Serves the document at `/openapi.json`, and at `/docs` the page that shows it and tries it out. */
export function serveSwaggerUi(app: INestApplication): void {
  SwaggerModule.setup('docs', app, () => openApiDocument(app), {
    jsonDocumentUrl: 'openapi.json',
    customSiteTitle: 'Consumer service API',
    customCss: STYLE,
    swaggerOptions: {
      persistAuthorization: true,
      tryItOutEnabled: true,
      displayRequestDuration: true,
      defaultModelsExpandDepth: 0,
    },
  });
}
