import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** Where PostgreSQL listens, as `pg` takes it: `host` is a name, or the absolute directory of a Unix socket. */
export type SocketAddress = { host: string; port: number };

const PORT = 5432;
const ANSWER_WITHIN_MS = 1_000;

/** The bytes that fit into sun_path; Node truncates a longer path silently. */
const MAX_SOCKET_PATH_BYTES = process.platform === 'linux' ? 107 : 103;

/** The file of a Unix socket, by PostgreSQL's convention; null for TCP. */
export const socketPath = ({ host, port }: SocketAddress): string | null =>
  isAbsolute(host) ? join(host, `.s.PGSQL.${port}`) : null;

/** An address to listen on, and how to remove it. */
export type PreparedAddress = { address: SocketAddress; discard: () => Promise<void> };

/**
 * Frees an address to listen on, which only the holder of the data directory's lock may do. The socket is in a private
 * directory, because it is created with the permissions of the umask.
 */
export async function prepareAddress(dataDir: string): Promise<PreparedAddress> {
  if (process.platform === 'win32')
    return { address: { host: '127.0.0.1', port: 0 }, discard: () => Promise.resolve() };
  const beside = join(dataDir, 'socket');
  const host = fits({ host: beside, port: PORT }) ? beside : await mkdtemp(join(tmpdir(), 'database-'));
  await rm(host, { recursive: true, force: true });
  await mkdir(host, { mode: 0o700 });
  return { address: { host, port: PORT }, discard: () => rm(host, { recursive: true, force: true }) };
}

/** Whether somebody listens there. */
export async function answers(address: SocketAddress): Promise<boolean> {
  const path = socketPath(address);
  const socket = path === null ? connect(address) : connect(path);
  socket.setTimeout(ANSWER_WITHIN_MS);
  const answered = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => {
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
    socket.once('timeout', () => {
      resolve(false);
    });
  });
  socket.destroy();
  return answered;
}

const fits = (address: SocketAddress): boolean => Buffer.byteLength(socketPath(address) ?? '') <= MAX_SOCKET_PATH_BYTES;
