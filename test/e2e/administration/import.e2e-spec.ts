import { readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import bcrypt from 'bcryptjs';
import { runCli, startCli } from '../../support/service/command-line/cli';
import { newPerson, PASSWORD, type SessionBody } from '../../support/api/consumers';
import { importRecord, importRecords, readLines, writeLines } from '../../support/import/file';
import { IMPORTED, Installation } from '../../support/import/installation';
import { TestService } from '../../support/service/test-service';

const APP_SECRET = 'the same secret for both of the installations';

describe('consumer import and export-all', () => {
  let installation: Installation;
  let app: TestService;

  beforeAll(async () => {
    installation = await Installation.start({ APP_SECRET });
    app = installation.service;
  });
  afterAll(() => installation.close());

  const path = (name: string) => installation.path(name);
  const count = (table: string, where?: string) => installation.count(table, where);
  const importFile = (file: string, ...options: string[]) => installation.importFile(file, ...options);

  it('give each other the same consumers, record for record', async () => {
    const [source, first, second] = [path('source.ndjson'), path('first.ndjson'), path('second.ndjson')];
    const records = importRecords(1_200);
    const client = await app.client();
    // What the service itself has made: a peppered hash, and a number that JSON can spell in two ways.
    const person = newPerson({ attributes: { big: 'BIG', constructor: 'none' } });
    const body = JSON.stringify(person).replace('"BIG"', '1e20');
    const own = (await client.post<SessionBody>('/api/v1/register', body)).body;
    await writeLines(source, records);
    const before = await count('consumer');

    expect(await importFile(source)).toMatchObject({ lines: 1_200, imported: 1_200, refused: 0, already: 0 });
    const exported = await app.cli('consumer', 'export-all', first, '--json');
    expect(JSON.parse(exported.stdout)).toEqual({ file: first, consumers: before + 1_200 });
    expect(exported.stderr).toMatch(/password hashes/);
    expect((await stat(first)).mode & 0o777).toBe(0o600);

    const lines = await readLines(first);
    const imported = new Map(lines.map((line) => [line.customerId, line]));
    for (const record of records) expect(imported.get(record.customerId)).toEqual(record);
    expect(imported.get(own.customerId)?.passwordHash).toMatch(/^pepper:/);

    const other = await TestService.start({ env: { APP_SECRET } });
    try {
      const { exitCode } = await runCli(other.env, 'consumer', 'import', first);
      expect(exitCode).toBe(0);
      await runCli(other.env, 'consumer', 'export-all', second);
      expect(await readFile(second, 'utf8')).toBe(await readFile(first, 'utf8'));
      const { status } = await (
        await other.client()
      ).post('/api/v1/login', { identifier: person.email, password: PASSWORD });
      expect(status).toBe(200);
    } finally {
      await other.close();
    }
  });

  it('write no file over another', async () => {
    await writeFile(path('precious'), 'mine');
    const { exitCode, stderr } = await app.cli('consumer', 'export-all', path('precious'));
    expect([exitCode, stderr]).toEqual([1, `${path('precious')}: the file exists already\n`]);
    expect(await readFile(path('precious'), 'utf8')).toBe('mine');
  });

  it('record an export only when its file has come about', async () => {
    const exports = () => count('audit_event', `type = 'consumers.exported'`);
    const before = await exports();
    // Nothing is there to be read, and yet the name is not free: the last step finds that out.
    await symlink(path('nowhere'), path('dangling'));
    const { exitCode, stderr } = await app.cli('consumer', 'export-all', path('dangling'));
    expect([exitCode, stderr]).toEqual([1, `${path('dangling')}: the file exists already\n`]);
    expect(await exports()).toBe(before);
    expect((await readdir(installation.directory)).filter((name) => /nowhere|partial/.test(name))).toEqual([]);

    expect((await app.cli('consumer', 'export-all', path('recorded'))).exitCode).toBe(0);
    expect(await exports()).toBe(before + 1);
  });

  it('let consumers log in with the passwords of another system, whose hashes are then renewed once', async () => {
    const longPassword = `${'long '.repeat(20)}tail`;
    const consumers = [
      { prefix: '$2a$', cost: 4, password: 'from an old forum' },
      { prefix: '$2b$', cost: 5, password: 'from a shop, ｆｕｌｌ width' },
      { prefix: '$2y$', cost: 4, password: 'from a PHP site' },
      { prefix: '$2b$', cost: 4, password: longPassword },
    ].map(({ prefix, cost, password }, index) => {
      const passwordHash = bcrypt.hashSync(password, cost).replace(/^\$2b\$/, prefix);
      return { ...importRecord(1), email: `old.${index}@example.com`, passwordHash, password };
    });
    const file = path('passwords.ndjson');
    await writeLines(
      file,
      consumers.map(({ password: _, ...record }) => record),
    );
    expect(await importFile(file)).toMatchObject({ imported: 4 });

    const client = await app.client();
    const login = async (identifier: string, password: string) =>
      (await client.post('/api/v1/login', { identifier, password })).status;
    const kept = async (customerId: string) => {
      const credential = 'SELECT password_hash AS hash FROM credential WHERE consumer_id = $1';
      return (await app.query<{ hash: string }>(credential, [customerId]))[0]?.hash;
    };
    for (const { customerId, email, password } of consumers) {
      const imported = await kept(customerId);
      expect(await login(email, `${password.slice(0, 10)}?`)).toBe(401);
      expect(await kept(customerId)).toBe(imported);
      expect(await login(email, password)).toBe(200);
      const renewed = await kept(customerId);
      expect(renewed).toMatch(/^pepper:[0-9a-f]{8}:\$2b\$04\$/);
      expect(await login(email, password)).toBe(200);
      expect(await kept(customerId)).toBe(renewed);
    }
    // Plain bcrypt reads 72 bytes; what the first login has sent counts in full from then on.
    expect(await login('old.3@example.com', longPassword.slice(0, 72))).toBe(401);
  });

  it('go on where they were interrupted, and do nothing twice', async () => {
    const file = path('interrupted.ndjson');
    const records = importRecords(4_000).map(({ phone: _, ...record }) => record);
    await writeLines(file, records);
    const progress = async (): Promise<number> => {
      const [run] = await app.query<{ lines: number }>(
        `SELECT lines_done::int AS lines FROM import_run WHERE finished_at IS NULL`,
      );
      return run?.lines ?? 0;
    };
    const interrupt = async (signal: NodeJS.Signals) => {
      const before = await progress();
      const { child, result } = startCli(app.env, 'consumer', 'import', file);
      while ((await progress()) === before && child.exitCode === null) await setTimeout(2);
      child.kill(signal);
      return { before, ...(await result), after: await progress() };
    };

    const stopped = await interrupt('SIGINT');
    expect([stopped.exitCode, stopped.stderr]).toEqual([
      1,
      `Stopped after line ${stopped.after}; the same command continues there\n`,
    ]);
    const killed = await interrupt('SIGKILL');
    expect(killed.before).toBe(stopped.after);
    expect(killed.after).toBeGreaterThan(killed.before);
    expect(killed.after).toBeLessThan(4_000);

    const rest = await importFile(file);
    expect(rest).toMatchObject({ lines: 4_000, refused: 0, imported: 4_000 - rest.already });
    expect(rest.already).toBeGreaterThanOrEqual(killed.after);
    const ids = (part: typeof records) => part.map(({ customerId }) => `'${customerId}'`).join();
    expect(await count('consumer', `id IN (${ids(records)})`)).toBe(4_000);
    expect(await count('audit_event', `type = 'consumer.imported' AND consumer_id IN (${ids(records)})`)).toBe(4_000);

    const events = await count('audit_event', IMPORTED);
    expect(await importFile(file)).toMatchObject({ lines: 4_000, imported: 0, refused: 0, already: 4_000 });
    expect(await count('audit_event', IMPORTED)).toBe(events);
  });

  it('let only one process import a file', async () => {
    const file = path('twice.ndjson');
    const records = importRecords(1_500).map(({ phone: _, ...record }) => record);
    await writeLines(file, records);
    const before = await count('consumer');
    const report = (name: string) => ['--report', path(name)];
    const answers = await Promise.all(
      ['a', 'b'].map((name) => runCli(app.env, 'consumer', 'import', file, ...report(name))),
    );
    const losers = answers.filter(({ exitCode }) => exitCode !== 0);
    expect(losers.length).toBeLessThan(2);
    for (const { stderr } of losers) expect(stderr).toMatch(/Another process is importing this file\n$/);
    const last = await importFile(file);
    expect(last).toMatchObject({ refused: 0, imported: 0, already: 1_500 });
    expect(await count('consumer')).toBe(before + 1_500);
  });

  it.each([
    ['a file that is not there', 'missing.ndjson', 'there is no such file or directory'],
    ['a directory', '.', 'only a regular file can be imported, because it is read twice'],
  ])('say in one line what is wrong with %s', async (_, name, reason) => {
    const { exitCode, stdout, stderr } = await app.cli('consumer', 'import', path(name));
    expect([exitCode, stdout, stderr]).toEqual([1, '', `${path(name)}: ${reason}\n`]);
  });
});
