import { createHash } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { newId } from '../../random';
import { isProcessAlive, thisProcess } from './process-liveness';
import { answers, type SocketAddress } from './socket-address';

const lockHolder = z.object({
  /** Identifies one holding of the lock. */
  id: z.string(),
  pid: z.int().positive(),
  startedAt: z.int().nullable(),
  role: z.enum(['service', 'cli']),
  socket: z.object({ host: z.string(), port: z.int() }).nullable(),
});

/** Who holds a lock, what for, and where its database listens once it does. */
export type LockHolder = z.infer<typeof lockHolder>;
export type LockRole = LockHolder['role'];

/** The holdings of this process: a lock that names our pid but none of these is an earlier process's. */
const held = new Set<string>();

/** A lock file, needed because PGlite lets two processes corrupt a database; a file left by a dead process is stale. */
export class DirectoryLock {
  private constructor(
    private readonly path: string,
    private holder: LockHolder,
  ) {}

  /** The lock, or the running process that has it or is taking it. */
  static async acquire(path: string, role: LockRole): Promise<DirectoryLock | LockHolder> {
    const self: LockHolder = { id: newId(), ...thisProcess(), role, socket: null };
    held.add(self.id);
    const holder = await claim(path, self);
    if (holder === null) return new DirectoryLock(path, self);
    held.delete(self.id);
    return holder;
  }

  /** Tells the other processes where the database listens. */
  async recordSocket(socket: SocketAddress): Promise<void> {
    this.holder = { ...this.holder, socket };
    await replace(this.path, this.holder);
  }

  async release(): Promise<void> {
    const found = await read(this.path);
    if (found !== null && parse(found)?.id === this.holder.id) await rm(this.path, { force: true });
    held.delete(this.holder.id);
  }
}

/**
 * Null once the file at `path` is ours, else its running holder. A stale file is replaced under a second lock, named
 * after the stale content: its one holder reads the file again first, so that it does not replace a new owner's file.
 */
async function claim(path: string, self: LockHolder): Promise<LockHolder | null> {
  for (;;) {
    if (await create(path, self)) return null;
    const found = await read(path);
    if (found === null) continue;
    const holder = parse(found);
    if (holder && (await isAlive(holder))) return holder;

    const guard = `${path}.${createHash('sha256').update(found).digest('hex').slice(0, 16)}`;
    const rival = await claim(guard, self);
    if (rival) return rival;
    try {
      if ((await read(path)) === found) {
        await replace(path, self);
        return null;
      }
    } finally {
      await rm(guard, { force: true });
    }
  }
}

/** An open socket proves that a holder runs whose pid we cannot see, as in another container on the same volume. */
const isAlive = async (holder: LockHolder): Promise<boolean> =>
  (holder.pid === process.pid ? held.has(holder.id) : isProcessAlive(holder)) ||
  (holder.socket !== null && (await answers(holder.socket)));

/** False when the file exists; it appears complete or not at all. */
async function create(path: string, holder: LockHolder): Promise<boolean> {
  const draft = await writeDraft(path, holder);
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

const replace = async (path: string, holder: LockHolder): Promise<void> => rename(await writeDraft(path, holder), path);

async function writeDraft(path: string, holder: LockHolder): Promise<string> {
  const draft = `${path}.${holder.id}`;
  await writeFile(draft, JSON.stringify(holder), { mode: 0o600 });
  return draft;
}

async function read(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return null;
    throw error;
  }
}

/** Null for a file that is not complete, such as one emptied by a power failure. */
function parse(content: string): LockHolder | null {
  try {
    return lockHolder.parse(JSON.parse(content));
  } catch {
    return null;
  }
}

const isErrno = (error: unknown, code: string): boolean => (error as NodeJS.ErrnoException).code === code;
