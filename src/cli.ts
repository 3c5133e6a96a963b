import { existsSync } from 'node:fs';
import { CommandFactory } from 'nest-commander';
import { CliModule } from './cli/cli.module';
import { printFailure, watchOutput } from './cli/output';
import { AppConfig, SettingsError } from './platform/app-config';
import { createLogger } from './platform/logger';

/** Messages go to standard error: standard output belongs to the result. */
function fail(error: unknown): never {
  // Node's error for a name with several addresses, none of which answers, says nothing itself.
  const cause: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const message = cause instanceof Error ? cause.message : String(cause);
  // Settings get a line each; what was typed may hold a line break.
  printFailure(cause instanceof SettingsError ? message : inOneLine(message));
  process.exit(1);
}

const inOneLine = (text: string): string => text.trim().replace(/\s*\n\s*/g, ' ');

async function main(): Promise<void> {
  watchOutput();
  if (existsSync('.env')) process.loadEnvFile('.env');
  const config = new AppConfig(process.env);
  const module = await CliModule.forGroup(process.argv[2], { config, logger: createLogger('warn', 2) });
  await CommandFactory.run(module, {
    // What goes wrong is told once, by `fail`.
    logger: false,
    abortOnError: false,
    cliName: 'cli',
    // The parser puts what it suggests on a line of its own.
    outputConfiguration: {
      outputError: (text) => {
        printFailure(inOneLine(text).replace(/^error: /, ''));
      },
    },
    // The parser has written its own line already; help is no error.
    errorHandler: (error) => process.exit((error as { exitCode?: number }).exitCode ?? 1),
    serviceErrorHandler: fail,
  });
}

main().catch(fail);
