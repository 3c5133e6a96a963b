import type { INestApplicationContext } from '@nestjs/common';
import type { Logger } from 'pino';

/** When the process must stop, lets accepted requests finish within the grace period. */
export function stopOnSignals(app: INestApplicationContext, logger: Logger, graceSeconds: number): void {
  let stopping = false;
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, 'The service is stopping');
    setTimeout(() => {
      logger.error('Some requests did not end in time');
      process.exit(1);
    }, graceSeconds * 1000).unref();
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
