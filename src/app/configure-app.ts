import type { INestApplication } from '@nestjs/common';
import type { Logger } from 'pino';
import { serveSwaggerUi } from '../api-docs/openapi/swagger-ui';
import { Clock } from '../platform/clock';
import type { ApiAdapter } from '../platform/http/server/api-adapter';
import { requestContext } from '../platform/http/server/request-context';
import { Lifecycle } from '../platform/lifecycle';
import { LOGGER } from '../platform/logger';
import { Metrics } from '../platform/metrics/metrics';

/** Settings of the application that server and tests share. */
export function configureApp(app: INestApplication): void {
  const lifecycle = app.get(Lifecycle);
  const adapter: ApiAdapter = app.getHttpAdapter() as never;
  adapter.beginWith(
    requestContext({
      logger: app.get<Logger>(LOGGER),
      clock: app.get(Clock),
      metrics: app.get<Metrics | null>(Metrics),
      isDraining: () => lifecycle.isDraining,
    }),
  );
  serveSwaggerUi(app);
}
