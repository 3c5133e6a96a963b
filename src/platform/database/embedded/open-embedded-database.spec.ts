import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect, onFatal, run, TemplateDirectory } from '../../../../test/support/in-process/embedded-database';
import { type EmbeddedDatabase, openEmbeddedDatabase } from './embedded-database';
import { EmbeddedDatabaseError } from './embedded-database.error';

let template: TemplateDirectory;
beforeAll(async () => {
  template = await TemplateDirectory.create();
});
afterAll(() => template.remove());

describe('openEmbeddedDatabase', () => {
  let dataDir: string;
  const opened: EmbeddedDatabase[] = [];
  const children: ChildProcess[] = [];

  const open = async (role: 'service' | 'cli', directory = dataDir): Promise<EmbeddedDatabase> => {
    const database = await openEmbeddedDatabase({ dataDir: directory, role, onFatal });
    opened.push(database);
    return database;
  };

  /** Another process that owns the database in `dataDir`, as this code would. */
  const startOwner = async (role: 'service' | 'cli'): Promise<ChildProcess & { pid: number }> => {
    const host = join(dataDir, 'socket');
    await mkdir(host, { recursive: true });
    const job = {
      directory: join(dataDir, 'database'),
      address: { host, port: 5432 },
      path: join(host, '.s.PGSQL.5432'),
    };
    const holder = { id: 'owner', startedAt: null, role, socket: job.address };
    const script = `
      const { writeFileSync } = require('node:fs');
      const { Worker } = require('node:worker_threads');
      const worker = new Worker(${JSON.stringify(join(__dirname, 'embedded-database.worker.mjs'))}, { workerData: ${JSON.stringify(job)} });
      worker.once('message', () => {
        writeFileSync(${JSON.stringify(join(dataDir, 'database.lock'))}, JSON.stringify({ ...${JSON.stringify(holder)}, pid: process.pid }));
        process.stdout.write('ready');
      });`;
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    await once(child.stdout, 'data');
    return child as typeof child & { pid: number };
  };
  const kill = async (child: ChildProcess): Promise<void> => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };

  beforeEach(async () => {
    dataDir = await template.copy();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((database) => database.close()));
    await Promise.all(
      children
        .splice(0)
        .filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
        .map(kill),
    );
    await rm(dataDir, { recursive: true, force: true });
  });

  it('refuses a service and serves a cli while a service runs, and keeps what it acknowledged when that is killed', async () => {
    const owner = await startOwner('service');
    await expect(open('service')).rejects.toThrow(
      new EmbeddedDatabaseError(`DATA_DIR ${dataDir} is in use by process ${owner.pid}`),
    );

    const shared = await open('cli');
    expect(shared.owned).toBe(false);
    const client = await connect(shared);
    await client.query('CREATE TABLE entry (id int)');
    await client.query('INSERT INTO entry VALUES (1)');
    await shared.close();
    expect((await client.query('SELECT 1')).rowCount).toBe(1);
    await kill(owner);

    const reopened = await open('service');
    expect(reopened.owned).toBe(true);
    expect(await run(reopened, 'SELECT id FROM entry')).toEqual([{ id: 1 }]);
  });

  it('waits for a cli to finish, then owns the database that it left', async () => {
    const first = await open('cli');
    await run(first, 'CREATE TABLE entry AS SELECT 1 AS id');
    const second = open('service');
    await run(first, 'INSERT INTO entry VALUES (2)');
    await first.close();
    expect(await run(await second, 'SELECT id FROM entry')).toEqual([{ id: 1 }, { id: 2 }]);
  });

  it('works where the path of the data directory is too long for a socket, and leaves none behind', async () => {
    const long = join(dataDir, 'd'.repeat(100));
    await template.copy(long);
    const database = await open('service', long);
    expect(await run(database, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await database.close();
    await expect(stat(database.connection.host)).rejects.toThrow('ENOENT');
    expect(await readdir(long)).toEqual(['database']);
  });

  it('creates the database anew when its creation was cut short', async () => {
    await rm(join(dataDir, 'database', 'global'), { recursive: true });
    await writeFile(join(dataDir, 'database.incomplete'), '');
    expect(await run(await open('service'), 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(await readdir(dataDir)).not.toContain('database.incomplete');
  });

  it('says in one line why a damaged database cannot be opened, and lets go of the directory', async () => {
    await rm(join(dataDir, 'database', 'global'), { recursive: true });
    await expect(open('service')).rejects.toThrow(/^The database in DATA_DIR .* cannot be opened: .*$/);
    expect(await readdir(dataDir)).toEqual(['database']);
  });

  it('reports a full disk as fatal, once, and stops serving', async () => {
    const fatal: Error[] = [];
    let report: () => void;
    const reported = new Promise<void>((resolve) => (report = resolve));
    const onFatal = (error: Error): void => {
      fatal.push(error);
      report();
    };
    const database = await openEmbeddedDatabase({ dataDir, role: 'service', onFatal });
    const client = await connect(database);
    const ended = new Promise((resolve) => client.once('end', resolve));
    client.query(`DO $$ BEGIN RAISE 'no space left' USING ERRCODE = 'disk_full'; END $$`).catch(() => undefined);
    await Promise.all([reported, ended]);
    await database.close();
    expect(fatal.map(String)).toEqual([expect.stringContaining('no space left')]);
    expect(await readdir(dataDir)).toEqual(['database']);
  });
});
