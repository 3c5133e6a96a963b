import type { LoggerService } from '@nestjs/common';
import { type Logger, pino, stdTimeFunctions } from 'pino';

/** Injection token of the service's one log. */
export const LOGGER = Symbol('LOGGER');

/** A log of one JSON object a line, on standard output unless that is the program's result. */
export const createLogger = (level: string, fileDescriptor = 1): Logger =>
  pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
    },
    pino.destination({ dest: fileDescriptor, sync: true }),
  );

/** Names an error without the values it carries: a driver's error holds the statement's parameters. */
function describeError(error: Error): Record<string, unknown> {
  const { driverError } = error as { driverError?: { code?: unknown } };
  const code = (error as { code?: unknown }).code ?? driverError?.code;
  return { type: error.name, message: error.message, stack: error.stack, ...(code !== undefined && { code }) };
}

/** Lets Nest and TypeORM write into the same log. */
export class NestLog implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, context?: string): void {
    this.logger.debug({ context }, String(message));
  }

  warn(message: unknown, context?: string): void {
    this.logger.warn({ context }, String(message));
  }

  error(message: unknown, ...details: string[]): void {
    const err = message instanceof Error ? message : undefined;
    this.logger.error({ err, context: details.at(-1) }, err ? undefined : String(message));
  }

  fatal(message: unknown, context?: string): void {
    this.logger.fatal({ context }, String(message));
  }

  debug(message: unknown, context?: string): void {
    this.logger.debug({ context }, String(message));
  }
}
