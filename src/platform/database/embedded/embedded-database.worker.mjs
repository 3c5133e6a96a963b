// Plain JavaScript, because a worker thread loads this file as it is, under Jest as in production.
import { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import { parentPort, workerData } from 'node:worker_threads';
import { SharedPGlite } from './shared-pglite.mjs';

const MAX_CONNECTIONS = 100;

/** A line of PostgreSQL's log begins with its SQLSTATE: disk full, input or output error, or a crash. */
const FATAL_LINE = /^(53100|58030) |^\w{5} PANIC: /;
const FATAL_LINE_WHILE_OPENING = /^(53100|58030) |^\w{5} (PANIC|FATAL): /;

/** @type {import('./database-worker.js').WorkerJob} */
const { directory, address, path } = workerData;

/** @param {import('./database-worker.js').WorkerReport} report */
const tell = (report) => parentPort?.postMessage(report);

/**
 * After a failed write the next statement may spin for ever, so this thread ends at once.
 * @param {string} reason
 * @returns {never}
 */
function fail(reason) {
  tell({ type: 'failed', reason });
  process.exit(1);
}

const settings = {
  log_line_prefix: '%e ',
  log_min_error_statement: 'panic',
  // A log file that is used again would keep what was written to it before.
  wal_recycle: 'off',
  // By this a process that comes through the socket knows whose files they are.
  'consumer_service.embedded': 'on',
};
let fatalLine = FATAL_LINE_WHILE_OPENING;
const database = new SharedPGlite(
  {
    dataDir: directory,
    startParams: [
      ...PGlite.defaultStartParams,
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    onStderr: (line) => (fatalLine.test(line) ? fail(line) : false),
  },
  fail,
);
await database.waitReady;
fatalLine = FATAL_LINE;
const server = new PGLiteSocketServer({
  db: database,
  maxConnections: MAX_CONNECTIONS,
  ...(path === null ? address : { path }),
});
await server.start();

parentPort?.on('message', (message) => {
  if (message === 'ping') tell({ type: 'pong' });
  if (message === 'close') void close();
});
tell({ type: 'ready', port: path === null ? Number(server.getServerConn().split(':').pop()) : address.port });

async function close() {
  await server.stop();
  await database.close();
  process.exit(0);
}
