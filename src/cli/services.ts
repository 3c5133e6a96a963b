import type { INestApplicationContext, ModuleMetadata } from '@nestjs/common';

/** Beside the platform. */
type Parts = Pick<ModuleMetadata, 'imports' | 'providers'>;

/**
 * Runs a task with the services of these modules on the database, and closes them afterwards. They are loaded only
 * here, because loading takes most of a command's time.
 */
export async function withServices<T>(
  parts: Parts,
  task: (services: INestApplicationContext) => Promise<T>,
): Promise<T> {
  const { AppConfig } = await import('../platform/settings/config.js');
  const config = new AppConfig(process.env);
  const { NestFactory } = await import('@nestjs/core');
  const { CliModule } = await import('./cli.module.js');
  const { createLogger } = await import('../platform/logger.js');
  const services = await NestFactory.createApplicationContext(
    CliModule.forRoot({ config, logger: createLogger('warn', 2) }, parts),
    // Errors are reported once, where they are caught.
    { logger: false, abortOnError: false },
  );
  return task(services).finally(() => services.close());
}
