import type { Server } from 'node:http';
import type { INestApplication } from '@nestjs/common';
import type { Logger } from 'pino';

/** In milliseconds. */
const IDLE_CONNECTIONS_INTERVAL = 100;

/** Lets accepted requests end when the process is told to stop, for as long as the grace period lasts. */
export function stopOnSignals(app: INestApplication, logger: Logger, graceSeconds: number): void {
  let stopping = false;
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, 'The service is stopping');
    setTimeout(() => {
      logger.error('Some requests did not end in time');
      process.exit(1);
    }, graceSeconds * 1000).unref();
    // Node closes those that are idle now; one whose answer is still to come would be kept for another minute.
    const server = app.getHttpServer() as Server;
    setInterval(() => {
      server.closeIdleConnections();
    }, IDLE_CONNECTIONS_INTERVAL).unref();
    app.close().then(
      () => process.exit(0),
      (err: unknown) => {
        logger.error({ err }, 'The service did not stop cleanly');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}
