import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app/app.module';
import { baseUrl } from './app/base-url';
import { configureApp } from './app/configure-app';
import { createDemoTouchpoint } from './app/demo-touchpoint';
import { inviteFirstOperator } from './app/first-operator';
import { AppConfig } from './platform/config';
import { ApiAdapter } from './platform/http/server/api-adapter';
import { createLogger, NestLog } from './platform/logger';
import { stopOnSignals } from './app/stop-on-signals';

async function main(): Promise<void> {
  if (existsSync('.env')) process.loadEnvFile('.env');
  const config = new AppConfig(process.env);
  const logger = createLogger(config.logLevel);
  const app = await NestFactory.create(
    AppModule.forRoot({ config, logger }, await extrasOf(config)),
    new ApiAdapter(),
    {
      bodyParser: false,
      abortOnError: false,
      logger: new NestLog(logger),
    },
  );
  configureApp(app);
  stopOnSignals(app, logger, config.shutdownGraceSeconds);
  await app.listen(config.port, config.host);
  const address = (app.getHttpServer() as import('node:http').Server).address() as AddressInfo;
  const url = baseUrl(address);
  logger.info({ host: config.host, port: address.port }, `The service is ready at ${url}`);
  if (config.consolePort !== undefined) await inviteFirstOperator(app);
  await createDemoTouchpoint(app, url);
}

/** Loaded only where it is on: it costs time and memory at the start. */
async function extrasOf({ consolePort }: AppConfig): Promise<Type[]> {
  return consolePort === undefined ? [] : [(await import('./console/console.module.js')).ConsoleModule];
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
