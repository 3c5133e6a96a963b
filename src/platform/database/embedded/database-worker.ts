import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { EmbeddedDatabaseError } from './embedded-database.error';
import { Heartbeat } from './heartbeat';
import { socketPath, type SocketAddress } from './socket-address';

const WORKER_FILE = join(__dirname, 'embedded-database.worker.mjs');

/** What the thread is given: `path` is the socket's, null for TCP. */
export type WorkerJob = { directory: string; address: SocketAddress; path: string | null };

/** What the thread says of itself. */
export type WorkerReport = { type: 'ready'; port: number } | { type: 'pong' } | { type: 'failed'; reason: string };

/** The thread that serves one database directory. */
export type DatabaseWorker = { address: SocketAddress; close: () => Promise<void> };

/** Resolves once the database listens; `onFatal` is called if the thread ends after that without `close`. */
export async function startDatabaseWorker(
  directory: string,
  address: SocketAddress,
  onFatal: (error: Error) => void,
): Promise<DatabaseWorker> {
  const workerData: WorkerJob = { directory, address, path: socketPath(address) };
  const worker = new Worker(WORKER_FILE, { workerData });
  const cause = causeOfEnd(worker);
  const end = cause.finally(() => worker.terminate());
  const port = await Promise.race([readiness(worker), end.then(failToOpen)]);

  let expected = false;
  let over = false;
  void cause.then((error) => {
    over = true;
    if (!expected) onFatal(error ?? new EmbeddedDatabaseError('The database thread ended by itself.'));
  });
  const close = async (): Promise<void> => {
    const reported = over;
    expected = true;
    worker.postMessage('close');
    const error = await end;
    if (error && !reported) throw error;
  };
  return { address: { host: address.host, port }, close };
}

const readiness = (worker: Worker): Promise<number> =>
  new Promise((resolve) => {
    worker.on('message', (report: WorkerReport) => {
      if (report.type === 'ready') resolve(report.port);
    });
  });

/** Resolves with null when the thread has ended normally, or with the reason why it must be ended. */
async function causeOfEnd(worker: Worker): Promise<Error | null> {
  let heartbeat: Heartbeat | undefined;
  const ping = (): void => {
    worker.postMessage('ping');
  };
  const cause = await new Promise<Error | null>((resolve) => {
    const onSilence = (): void => {
      resolve(new EmbeddedDatabaseError('The database thread does not answer.'));
    };
    worker.on('message', (report: WorkerReport) => {
      if (report.type === 'ready') heartbeat = new Heartbeat(ping, onSilence);
      if (report.type === 'pong') heartbeat?.pong();
      if (report.type === 'failed') resolve(new EmbeddedDatabaseError(`The database has failed: ${report.reason}`));
    });
    worker.once('error', resolve);
    worker.once('exit', (code) => {
      resolve(code === 0 ? null : new EmbeddedDatabaseError(`The database thread exited with code ${code}.`));
    });
  });
  heartbeat?.stop();
  return cause;
}

function failToOpen(cause: Error | null): never {
  throw cause ?? new EmbeddedDatabaseError('The database thread ended before it was ready.');
}
