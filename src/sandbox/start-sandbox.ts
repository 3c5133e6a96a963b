import type { INestApplication } from '@nestjs/common';
import { openApiDocument } from '../api-docs/openapi/openapi-document';
import { PartnerSandbox } from './partner-sandbox';
import { SandboxClock } from './sandbox-clock';
import { SandboxModule } from './sandbox.module';
import { ScenarioGuard } from './scenario.guard';
import { Scenarios } from './scenarios';

/** What the service is put together with in a sandbox. */
export function startSandbox() {
  const clock = new SandboxClock();
  return {
    platform: { clock, sandbox: new PartnerSandbox(clock) },
    modules: [SandboxModule],
    guards: [ScenarioGuard],
    configure: (app: INestApplication) => {
      app.get(Scenarios).useDocument(() => openApiDocument(app));
    },
  };
}
