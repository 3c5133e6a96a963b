import { existsSync } from 'node:fs';
import type { Logger } from 'pino';
import { isDatabaseUnavailable } from '../platform/database/connection/database-errors';
import { AppConfig } from '../platform/settings/config';

/** The settings, also those in a file `.env`. */
export function loadConfig(): AppConfig {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return new AppConfig(process.env);
}

/** Starts a process that stays; one that cannot start says why, and ends. */
export function run(start: () => Promise<void>): void {
  start().catch((error: unknown) => {
    process.stderr.write(`${reasonOf(error)}\n`);
    process.exit(1);
  });
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, port } = error as NodeJS.ErrnoException & { port?: number };
  return code === 'EADDRINUSE'
    ? `Port ${port} is in use: stop what listens there, or set another one (PORT, CONSOLE_PORT, METRICS_PORT)`
    : error.message;
}

/** Makes and shows what a first start shows; a service that is ready goes on without it if the database has gone away. */
export async function showFirstSteps(logger: Logger, show: () => Promise<void>): Promise<void> {
  await show().catch((err: unknown) => {
    if (!isDatabaseUnavailable(err)) throw err;
    logger.warn({ err }, 'What a first start shows could not be made, because the database is away');
  });
}
