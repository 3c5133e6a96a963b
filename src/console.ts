import { NestFactory } from '@nestjs/core';
import { ConsoleAppModule } from './app/console-app.module';
import { inviteFirstOperator } from './app/first-operator';
import { ConsoleServer } from './console/console-server';
import { loadConfig, run, showFirstSteps } from './app/start';
import { stopOnSignals } from './app/stop-on-signals';
import { createLogger, NestLog } from './platform/logger';
import { SettingsError } from './platform/settings/settings-error';

/** The administration console alone, beside replicas of the API on the same database. */
run(async () => {
  const config = loadConfig();
  if (config.consolePort === undefined) throw new SettingsError(['CONSOLE_PORT: is required for the console']);
  const logger = createLogger(config.logLevel);
  const app = await NestFactory.createApplicationContext(ConsoleAppModule.forRoot({ config, logger }), {
    abortOnError: false,
    logger: new NestLog(logger),
  });
  stopOnSignals(app, logger, config.shutdownGraceSeconds);
  if (app.get(ConsoleServer).address === null) throw new SettingsError(['CONSOLE_PORT: the port is taken']);
  await showFirstSteps(logger, () => inviteFirstOperator(app));
});
