import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { finishCreation, prepareDirectory } from './database-directory';
import { startDatabaseWorker } from './database-worker';
import { DirectoryLock, type LockHolder, type LockRole } from './directory-lock';
import { EmbeddedDatabaseError } from './embedded-database.error';
import { answers, prepareAddress, type SocketAddress } from './socket-address';

const WAIT_FOR_OTHERS_MS = 30_000;
const POLL_MS = 50;

/** PGlite's own; without a user `pg` takes the environment's, which a container may not have. */
const SESSION = { user: 'postgres', database: 'postgres' };

/** PostgreSQL in this process, or in the process that has the data directory. */
export type EmbeddedDatabase = {
  /** For `pg`; neither named prepared statements nor LISTEN work over it, since all connections share one session. */
  connection: SocketAddress & typeof SESSION;
  /** Whether the database runs in this process. */
  owned: boolean;
  /** Ends the database if it is owned; every connection ends with it. */
  close: () => Promise<void>;
};

export type EmbeddedDatabaseOptions = {
  dataDir: string;
  /** A service insists on owning the database; a command-line tool uses a running service's. */
  role: LockRole;
  /** Called when an owned database can no longer be trusted to work; the process should then exit. */
  onFatal: (error: Error) => void;
};

/** Opens the database in `dataDir`, which one process at a time owns. */
export async function openEmbeddedDatabase(options: EmbeddedDatabaseOptions): Promise<EmbeddedDatabase> {
  const dataDir = resolve(options.dataDir);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const patience = AbortSignal.timeout(WAIT_FOR_OTHERS_MS);
  for (;;) {
    const lock = await DirectoryLock.acquire(join(dataDir, 'database.lock'), options.role);
    if (lock instanceof DirectoryLock) return own(dataDir, lock, options.onFatal);
    if (patience.aborted || (options.role === 'service' && lock.role === 'service')) throw inUse(dataDir, lock);
    if (lock.role === 'service' && lock.socket && (await answers(lock.socket))) return share(lock.socket);
    await setTimeout(POLL_MS);
  }
}

async function own(
  dataDir: string,
  lock: DirectoryLock,
  onFatal: EmbeddedDatabaseOptions['onFatal'],
): Promise<EmbeddedDatabase> {
  let close = (): Promise<void> => lock.release();
  const closeFirst = (step: () => Promise<void>): void => {
    const rest = close;
    close = () => step().finally(rest);
  };
  try {
    const { address, discard } = await prepareAddress(dataDir);
    closeFirst(discard);
    const worker = await startDatabaseWorker(await prepareDirectory(dataDir), address, onFatal);
    closeFirst(worker.close);
    await finishCreation(dataDir);
    await lock.recordSocket(worker.address);
    let closed: Promise<void> | undefined;
    return { connection: { ...worker.address, ...SESSION }, owned: true, close: () => (closed ??= close()) };
  } catch (error) {
    await close();
    const reason = error instanceof Error ? error.message : String(error);
    throw new EmbeddedDatabaseError(`The database in DATA_DIR ${dataDir} cannot be opened: ${reason}`, {
      cause: error,
    });
  }
}

const share = (address: SocketAddress): EmbeddedDatabase => ({
  connection: { ...address, ...SESSION },
  owned: false,
  close: () => Promise.resolve(),
});

const inUse = (dataDir: string, { pid }: LockHolder): EmbeddedDatabaseError =>
  new EmbeddedDatabaseError(`DATA_DIR ${dataDir} is in use by process ${pid}`);
