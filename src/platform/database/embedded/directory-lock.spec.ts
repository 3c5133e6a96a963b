import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { DirectoryLock, type LockHolder } from './directory-lock';

const NO_SUCH_PID = 2 ** 22 + 1;

describe('DirectoryLock', () => {
  let directory: string;
  let path: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'lock-'));
    path = join(directory, 'database.lock');
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  const leave = (holder: Partial<LockHolder>): Promise<void> =>
    writeFile(
      path,
      JSON.stringify({ id: 'other', pid: NO_SUCH_PID, startedAt: null, role: 'service', socket: null, ...holder }),
    );
  const readLock = async (): Promise<unknown> => JSON.parse(await readFile(path, 'utf8'));
  const acquireMany = (count: number): Promise<(DirectoryLock | LockHolder)[]> =>
    Promise.all(Array.from({ length: count }, () => DirectoryLock.acquire(path, 'service')));
  const acquire = async (): Promise<DirectoryLock> => {
    const lock = await DirectoryLock.acquire(path, 'service');
    if (!(lock instanceof DirectoryLock)) throw new Error(`held by process ${lock.pid}`);
    return lock;
  };

  it('names the process that holds it, readable by its user alone', async () => {
    await acquire();
    expect(await readLock()).toMatchObject({ pid: process.pid, role: 'service', socket: null });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('answers a second taker with the holder and its socket', async () => {
    const lock = await acquire();
    await lock.recordSocket({ host: '/somewhere', port: 5432 });
    expect(await DirectoryLock.acquire(path, 'cli')).toMatchObject({
      pid: process.pid,
      role: 'service',
      socket: { host: '/somewhere', port: 5432 },
    });
  });

  it('is free again once released, and leaves no file behind', async () => {
    const lock = await acquire();
    await lock.release();
    expect(await readdir(directory)).toEqual([]);
    await acquire();
  });

  it('does not release the lock of another', async () => {
    const lock = await acquire();
    await leave({ pid: process.ppid });
    await lock.release();
    expect(await readLock()).toMatchObject({ pid: process.ppid });
  });

  it('respects a living process', async () => {
    await leave({ pid: process.ppid });
    expect(await DirectoryLock.acquire(path, 'service')).toMatchObject({ pid: process.ppid });
  });

  it('respects the socket of a process that it cannot see', async () => {
    const server = createServer().listen(join(directory, '.s.PGSQL.5432'));
    await once(server, 'listening');
    await leave({ socket: { host: directory, port: 5432 } });
    expect(await DirectoryLock.acquire(path, 'service')).toMatchObject({ pid: NO_SUCH_PID });
    server.close();
  });

  it('is taken over from a process that was killed', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    await once(child, 'spawn');
    await leave({ pid: child.pid });
    expect(await DirectoryLock.acquire(path, 'service')).toMatchObject({ pid: child.pid });
    child.kill('SIGKILL');
    await once(child, 'exit');
    await acquire();
  });

  const itWithProc: (name: string, test: () => Promise<void>) => void =
    process.platform === 'linux' ? it : () => undefined;
  itWithProc('is taken over when the pid has been given to a younger process', async () => {
    await leave({ pid: process.ppid, startedAt: 1 });
    await acquire();
  });

  it('is taken over when it names our own pid but is not ours', async () => {
    await leave({ pid: process.pid });
    await acquire();
  });

  it.each(['', '{', '{}', 'null', '{"pid":-1}'])('is taken over when its content is %j', async (content) => {
    await writeFile(path, content);
    await acquire();
  });

  it.each([
    ['free', () => Promise.resolve()],
    ['stale', () => leave({})],
  ])('goes to exactly one of many that take a %s one at once', async (_, prepare) => {
    for (let round = 0; round < 20; round += 1) {
      await prepare();
      const takers = await acquireMany(16);
      const winners = takers.filter((taker) => taker instanceof DirectoryLock);
      expect(winners).toHaveLength(1);
      await winners[0]?.release();
      expect(await readdir(directory)).toEqual([]);
    }
  });

  it('is taken over even when an earlier taker was killed half-way', async () => {
    await leave({});

    const guard = createHash('sha256')
      .update(await readFile(path, 'utf8'))
      .digest('hex')
      .slice(0, 16);
    await writeFile(
      `${path}.${guard}`,
      JSON.stringify({ id: 'dead', pid: NO_SUCH_PID, startedAt: null, role: 'cli', socket: null }),
    );
    expect((await acquireMany(16)).filter((taker) => taker instanceof DirectoryLock)).toHaveLength(1);
  });
});
