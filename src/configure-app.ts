import type { INestApplication } from '@nestjs/common';
import { SwaggerModule } from '@nestjs/swagger';
import type { Logger } from 'pino';
import { openApiDocument } from './docs/openapi-document';
import { Clock } from './platform/clock';
import { requestContext } from './platform/http/request-context';
import { Lifecycle } from './platform/lifecycle';
import { LOGGER } from './platform/logger';
import { Metrics } from './platform/metrics/metrics';

/** Without Swagger's own banner; readable on a phone. */
const SWAGGER_STYLE = `
.swagger-ui .topbar { display: none }
@media (max-width: 40rem) {
  .swagger-ui .wrapper { padding: 0 12px }
  .swagger-ui select { max-width: 100% }
  .swagger-ui .opblock .opblock-summary { flex-wrap: wrap }
  .swagger-ui .opblock .opblock-summary-description { flex-basis: 100%; padding: 4px 10px }
}`;

/** What the server and the tests set alike. */
export function configureApp(app: INestApplication): void {
  const lifecycle = app.get(Lifecycle);
  app.use(
    requestContext({
      logger: app.get<Logger>(LOGGER),
      clock: app.get(Clock),
      metrics: app.get<Metrics | null>(Metrics),
      isDraining: () => lifecycle.isDraining,
    }),
  );
  SwaggerModule.setup('docs', app, () => openApiDocument(app), {
    jsonDocumentUrl: 'openapi.json',
    customSiteTitle: 'Consumer service API',
    customCss: SWAGGER_STYLE,
    swaggerOptions: {
      persistAuthorization: true,
      tryItOutEnabled: true,
      displayRequestDuration: true,
      defaultModelsExpandDepth: 0,
    },
  });
}
