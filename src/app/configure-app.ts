import type { INestApplication } from '@nestjs/common';
import type { Logger } from 'pino';
import { ActivityCounter } from '../audit/activity/activity-counter';
import { serveSwaggerUi } from '../api-docs/openapi/swagger-ui';
import { leadBrowsers } from '../api-docs/pages/lead-browsers';
import { Clock } from '../platform/clock';
import type { ApiAdapter } from '../platform/http/server/api-adapter';
import { requestContext } from '../platform/http/server/request-context';
import { Lifecycle } from '../platform/lifecycle';
import { LOGGER } from '../platform/logger';
import { Metrics } from '../platform/metrics/metrics';
import { SANDBOX, type Sandbox } from '../platform/sandbox';

/** Settings of the application that server and tests share. */
export function configureApp(app: INestApplication): void {
  const lifecycle = app.get(Lifecycle);
  const metrics = app.get<Metrics | null>(Metrics);
  const activity = app.get(ActivityCounter);
  const adapter: ApiAdapter = app.getHttpAdapter() as never;
  adapter.beginWith(
    requestContext({
      logger: app.get<Logger>(LOGGER),
      clock: app.get(Clock),
      observe: (request) => {
        metrics?.requests.observe(request);
        activity.observe(request);
      },
      isDraining: () => lifecycle.isDraining,
      sandbox: app.get<Sandbox | null>(SANDBOX),
    }),
  );
  serveSwaggerUi(app);
  leadBrowsers(app);
}
