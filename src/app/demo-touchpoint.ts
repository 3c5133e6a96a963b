import type { INestApplication } from '@nestjs/common';
import { AppConfig } from '../platform/settings/config';
import { SERVICE_ORIGIN } from '../audit/origin';
import { DatabaseServer } from '../platform/database/connection/database-server';
import { AuthenticationMode, ChannelProof } from '../touchpoints/touchpoint.entity';
import { TouchpointsService } from '../touchpoints/administration/touchpoints.service';

/** On the very first start with the embedded database: makes a touchpoint to try the API, and prints its key once. */
export async function createDemoTouchpoint(app: INestApplication, baseUrl: string): Promise<void> {
  const touchpoints = app.get(TouchpointsService);
  if (app.get(AppConfig).isProduction || !app.get(DatabaseServer).isEmbedded || (await touchpoints.list()).length > 0)
    return;
  const settings = {
    name: 'Demo',
    authenticationMode: AuthenticationMode.Password,
    channelProof: ChannelProof.None,
    rateLimit: null,
  };
  const { key } = await touchpoints.create('demo', settings, SERVICE_ORIGIN);
  process.stdout.write(`
A touchpoint "demo" has been created. Its key is shown this once:

  export TOUCHPOINT_KEY=${key}

Try it:

  curl -i ${baseUrl}/api/v1/reference/countries -H 'X-Touchpoint-Code: demo' -H 'X-Touchpoint-Key: ${key}'

The documentation for partner developers is at ${baseUrl}/docs/start

`);
}
