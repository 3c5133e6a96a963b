import { once } from 'node:events';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { connect, onFatal, run, TemplateDirectory } from '../../../../test/support/in-process/embedded-database';
import { type EmbeddedDatabase, openEmbeddedDatabase } from './embedded-database';

/** Cuts a connection off without a word to the server. */
const cut = (client: Client): void => {
  (
    client as unknown as { connection: { stream: NodeJS.WritableStream & { destroy(): void } } }
  ).connection.stream.destroy();
};

let template: TemplateDirectory;
beforeAll(async () => {
  template = await TemplateDirectory.create();
});
afterAll(() => template.remove());

describe('the embedded database', () => {
  let dataDir: string;
  let database: EmbeddedDatabase;

  beforeAll(async () => {
    dataDir = await template.copy();
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
    const afterFailure = async (client: Client, wrong: string) => {
      await expect(client.query(wrong, [1])).rejects.toThrow();
      return (await client.query<object>('SELECT $1::int AS x', [2])).rows;
    };
    const answers = [
      afterFailure(one, 'SELECT * FROM missing WHERE id = $1'),
      afterFailure(other, 'SELECT $1::int / 0 AS x'),
    ];
    expect(await Promise.all(answers)).toEqual([[{ x: 2 }], [{ x: 2 }]]);
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
