import { existsSync } from 'node:fs';
import { CommandFactory } from 'nest-commander';
import { CliModule } from './cli/cli.module';
import { AppConfig } from './platform/app-config';
import { createLogger, NestLog } from './platform/logger';

/** Messages go to standard error: standard output belongs to the result. */
function fail(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

async function main(): Promise<void> {
  if (existsSync('.env')) process.loadEnvFile('.env');
  const config = new AppConfig(process.env);
  const logger = createLogger('warn', 2);
  await CommandFactory.run(CliModule.forRoot({ config, logger }), {
    logger: new NestLog(logger),
    cliName: 'cli',
    // The parser has written its own line already; help is no error.
    errorHandler: (error) => process.exit((error as { exitCode?: number }).exitCode ?? 1),
    serviceErrorHandler: fail,
  });
}

main().catch(fail);
