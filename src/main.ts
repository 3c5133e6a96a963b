import type { AddressInfo } from 'node:net';
import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app/app.module';
import { baseUrl } from './platform/values/base-url';
import { configureApp } from './app/configure-app';
import { createDemoTouchpoint } from './app/demo-touchpoint';
import { inviteFirstOperator } from './app/first-operator';
import type { AppConfig } from './platform/settings/config';
import { ApiAdapter } from './platform/http/server/api-adapter';
import { createLogger, NestLog } from './platform/logger';
import { loadConfig, run, showFirstSteps } from './app/start';
import { requireOwnDatabase } from './sandbox/require-own-database';
import { stopOnSignals } from './app/stop-on-signals';

run(async () => {
  const config = loadConfig();
  const logger = createLogger(config.logLevel);
  const sandbox = await sandboxOf(config);
  const modules = [...(await consoleOf(config)), ...(sandbox?.modules ?? [])];
  const app = await NestFactory.create(
    AppModule.forRoot({ config, logger, ...sandbox?.platform }, { modules, guards: sandbox?.guards ?? [] }),
    new ApiAdapter(sandbox?.platform.sandbox.headers),
    {
      bodyParser: false,
      abortOnError: false,
      logger: new NestLog(logger),
    },
  );
  configureApp(app);
  sandbox?.configure(app);
  await requireOwnDatabase(app);
  stopOnSignals(app, logger, config.shutdownGraceSeconds);
  await app.listen(config.port, config.host);
  const address = (app.getHttpServer() as import('node:http').Server).address() as AddressInfo;
  const url = baseUrl(address);
  logger.info({ host: config.host, port: address.port }, `The service is ready at ${url}`);
  await showFirstSteps(logger, async () => {
    if (config.consolePort !== undefined) await inviteFirstOperator(app);
    await createDemoTouchpoint(app, url);
  });
});

/** Loaded only where it is on: it costs time and memory at the start. */
async function consoleOf({ consolePort }: AppConfig): Promise<Type[]> {
  return consolePort === undefined ? [] : [(await import('./console/console.module.js')).ConsoleModule];
}

/** No other start loads it. */
async function sandboxOf({ isSandbox }: AppConfig) {
  return isSandbox ? (await import('./sandbox/start-sandbox.js')).startSandbox() : null;
}
