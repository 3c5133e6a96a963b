import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { type EmbeddedDatabase, openEmbeddedDatabase } from './embedded-database';
import { EmbeddedDatabaseError } from './embedded-database.error';

const onFatal = (error: Error): void => {
  throw error;
};

const connect = async ({ connection }: Pick<EmbeddedDatabase, 'connection'>): Promise<Client> => {
  const client = new Client(connection);
  client.on('error', () => undefined);
  await client.connect();
  return client;
};

/** Runs one statement on a connection of its own. */
const run = async (database: Pick<EmbeddedDatabase, 'connection'>, sql: string): Promise<unknown[]> => {
  const client = await connect(database);
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
};

/** Cuts a connection off without a word to the server. */
const cut = (client: Client): void => {
  (
    client as unknown as { connection: { stream: NodeJS.WritableStream & { destroy(): void } } }
  ).connection.stream.destroy();
};

/** A data directory with an empty database, to be copied: creating one takes seconds. */
let template: string;
beforeAll(async () => {
  template = await mkdtemp(join(tmpdir(), 'template-'));
  const database = await openEmbeddedDatabase({ dataDir: template, role: 'cli', onFatal });
  await database.close();
});
afterAll(() => rm(template, { recursive: true }));

const copyTemplate = async (): Promise<string> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'data-'));
  await cp(template, dataDir, { recursive: true });
  return dataDir;
};

describe('the embedded database', () => {
  let dataDir: string;
  let database: EmbeddedDatabase;

  beforeAll(async () => {
    dataDir = await copyTemplate();
    database = await openEmbeddedDatabase({ dataDir, role: 'service', onFatal });
    await run(database, 'CREATE TABLE entry (client int, step int)');
  });
  beforeEach(() => run(database, 'TRUNCATE entry'));
  afterAll(async () => {
    await database.close();
    await rm(dataDir, { recursive: true });
  });

  it('keeps the transactions of eight connections apart', async () => {
    const transactions = Array.from({ length: 8 }, async (_, client) => {
      const connection = await connect(database);
      for (let round = 0; round < 5; round += 1) {
        await connection.query('BEGIN');
        for (let step = 0; step < 4; step += 1) {
          await connection.query('INSERT INTO entry VALUES ($1, $2)', [client, step]);
        }
        const { rows } = await connection.query('SELECT count(*)::int AS own FROM entry WHERE client = $1', [client]);
        expect(rows).toEqual([{ own: client % 2 === 0 ? 4 * (round + 1) : 4 }]);
        await connection.query(client % 2 === 0 ? 'COMMIT' : 'ROLLBACK');
      }
      await connection.end();
    });
    await Promise.all(transactions);
    expect(await run(database, 'SELECT client, count(*)::int FROM entry GROUP BY client ORDER BY client')).toEqual(
      [0, 2, 4, 6].map((client) => ({ client, count: 20 })),
    );
  });

  it('gives every client its own answer when many have waited for a transaction to end', async () => {
    const busy = await connect(database);
    const clients = await Promise.all(Array.from({ length: 8 }, () => connect(database)));
    for (let round = 0; round < 5; round += 1) {
      await busy.query('BEGIN');
      const waiting = clients.map((client, index) =>
        index % 2 === 0
          ? client.query('SELECT $1::text AS name', [`name ${index}`])
          : client.query('SELECT $1::int AS a, $2::int AS b', [index, round]),
      );
      await busy.query('SELECT 1');
      await busy.query('COMMIT');
      expect((await Promise.all(waiting)).map(({ rows }) => rows as unknown[])).toEqual(
        clients.map((_, index) => (index % 2 === 0 ? [{ name: `name ${index}` }] : [{ a: index, b: round }])),
      );
    }
    await Promise.all([busy, ...clients].map((client) => client.end()));
  });

  it('goes on after a statement that fails, for the same client and for others', async () => {
    const [one, other] = [await connect(database), await connect(database)];
    const answers = await Promise.allSettled([
      one.query('SELECT * FROM missing WHERE id = $1', [1]),
      other.query('SELECT $1::int / 0 AS x', [1]),
      one.query('SELECT $1::int AS x', [2]),
      other.query('SELECT $1::int AS x', [3]),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled', 'fulfilled']);
    await Promise.all([one.end(), other.end()]);
  });

  it('rolls back for a client that vanishes, and lets the others go on', async () => {
    const victim = await connect(database);
    await victim.query('BEGIN');
    await victim.query('INSERT INTO entry VALUES (99, 0)');
    const other = run(database, 'SELECT * FROM entry');
    cut(victim);
    expect(await other).toEqual([]);
  });

  it('lets the others go on when a client vanishes at any point of a statement', async () => {
    for (const statements of [['BEGIN'], ['BEGIN', 'INSERT INTO entry VALUES (99, $1)'], ['SELECT $1::int']]) {
      const victim = await connect(database);
      for (const text of statements) void victim.query(text, text.includes('$1') ? [1] : []).catch(() => undefined);
      cut(victim);
      expect(await run(database, 'SELECT * FROM entry')).toEqual([]);
    }
  });

  it('lets the others go on when a client vanishes between the messages of one query', async () => {
    const victim = await connect(database);
    const { stream } = (victim as unknown as { connection: { stream: NodeJS.WritableStream } }).connection;
    const text = 'SELEC nonsense\0';
    const parse = Buffer.alloc(1 + 4 + 1 + text.length + 2);
    parse.write('P');
    parse.writeInt32BE(parse.length - 1, 1);
    parse.write(text, 6);
    await new Promise((resolve) => stream.write(parse, resolve));
    await expect(once(victim, 'error')).resolves.toBeDefined();
    const other = run(database, 'SELECT 1 AS one');
    cut(victim);
    expect(await other).toEqual([{ one: 1 }]);
  });

  it('rolls back for a client that ends cleanly inside a transaction', async () => {
    const leaver = await connect(database);
    await leaver.query('BEGIN');
    await leaver.query('INSERT INTO entry VALUES (99, 0)');
    await leaver.end();
    expect(await run(database, 'SELECT * FROM entry')).toEqual([]);
  });

  it('carries a value larger than a socket buffer', async () => {
    const clients = await Promise.all([1, 2, 3].map(() => connect(database)));
    const lengths = await Promise.all(
      clients.map((client, index) => client.query('SELECT length($1) AS length', ['x'.repeat(500_000 + index)])),
    );
    expect(lengths.map(({ rows }) => rows as unknown[])).toEqual(
      [0, 1, 2].map((index) => [{ length: 500_000 + index }]),
    );
    await Promise.all(clients.map((client) => client.end()));
  });

  it('admits a client whatever user and settings it names', async () => {
    const client = new Client({ ...database.connection, user: '', database: '', options: '-c nonsense=1' });
    await client.connect();
    expect((await client.query('SELECT current_user AS name')).rows).toEqual([{ name: 'postgres' }]);
    await client.end();
  });

  it('refuses a second service in the same process too', async () => {
    await expect(openEmbeddedDatabase({ dataDir, role: 'service', onFatal })).rejects.toThrow(
      `DATA_DIR ${dataDir} is in use by process ${process.pid}`,
    );
  });

  it('is reachable by its own user alone', async () => {
    const mode = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
    expect(await mode(join(dataDir, 'database'))).toBe(0o700);
    expect(await mode(database.connection.host)).toBe(0o700);
  });
});

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
    dataDir = await copyTemplate();
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
    await cp(template, long, { recursive: true });
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
