import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import bcrypt from 'bcryptjs';
import { buildCli, runCli, startCli } from '../support/cli';
import { newPerson, PASSWORD, register, type SessionBody } from '../support/consumers';
import { FOREIGN_HASH, importRecord, importRecords, readLines, writeLines } from '../support/import-file';
import { TestApp } from '../support/test-app';

const APP_SECRET = 'the same secret for both of the installations';

interface Summary {
  dryRun: boolean;
  lines: number;
  imported: number;
  refused: number;
  already: number;
}

interface Refusal {
  line: number;
  errors: { field: string; code: string }[];
}

/** Refused requests are recorded behind the tests. */
const IMPORTED = `type = 'consumer.imported'`;

describe('consumer import and export-all', () => {
  let app: TestApp;
  let directory: string;

  beforeAll(async () => {
    buildCli();
    directory = await mkdtemp(join(tmpdir(), 'import-'));
    app = await TestApp.start({ env: { APP_SECRET } });
  });
  afterAll(async () => {
    await app.close();
    await rm(directory, { recursive: true, force: true });
  });

  const path = (name: string) => join(directory, name);
  const count = async (table: string, where = 'true', installation = app): Promise<number> => {
    const [row] = await installation.dataSource.query<{ count: number }[]>(
      `SELECT count(*)::int AS count FROM ${table} WHERE ${where}`,
    );
    return row?.count ?? -1;
  };
  const importFile = async (file: string, ...options: string[]): Promise<Summary> => {
    const { exitCode, stdout, stderr } = await runCli(app.env, 'consumer', 'import', file, '--json', ...options);
    if (exitCode !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as Summary;
  };

  it('give each other the same consumers, record for record', async () => {
    const [source, first, second] = [path('source.ndjson'), path('first.ndjson'), path('second.ndjson')];
    const records = importRecords(2_300);
    const client = await app.client();
    // What the service itself has made: a peppered hash, and a number that JSON can spell in two ways.
    const person = newPerson({ attributes: { big: 'BIG', constructor: 'none' } });
    const body = JSON.stringify(person).replace('"BIG"', '1e20');
    const own = (await client.post<SessionBody>('/api/v1/register', body)).body;
    await writeLines(source, records);
    const before = await count('consumer');

    expect(await importFile(source)).toMatchObject({ lines: 2_300, imported: 2_300, refused: 0, already: 0 });
    const exported = await runCli(app.env, 'consumer', 'export-all', first, '--json');
    expect(JSON.parse(exported.stdout)).toEqual({ file: first, consumers: before + 2_300 });
    expect(exported.stderr).toMatch(/password hashes/);
    expect((await stat(first)).mode & 0o777).toBe(0o600);

    const lines = await readLines(first);
    const imported = new Map(lines.map((line) => [line.customerId, line]));
    for (const record of records) expect(imported.get(record.customerId)).toEqual(record);
    expect(imported.get(own.customerId)?.passwordHash).toMatch(/^pepper:/);

    const other = await TestApp.start({ env: { APP_SECRET } });
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
    const { exitCode, stderr } = await runCli(app.env, 'consumer', 'export-all', path('precious'));
    expect([exitCode, stderr]).toEqual([1, `${path('precious')}: the file exists already\n`]);
    expect(await readFile(path('precious'), 'utf8')).toBe('mine');
  });

  it('record an export only when its file has come about', async () => {
    const exports = () => count('audit_event', `type = 'consumers.exported'`);
    const before = await exports();
    // Nothing is there to be read, and yet the name is not free: the last step finds that out.
    await symlink(path('nowhere'), path('dangling'));
    const { exitCode, stderr } = await runCli(app.env, 'consumer', 'export-all', path('dangling'));
    expect([exitCode, stderr]).toEqual([1, `${path('dangling')}: the file exists already\n`]);
    expect(await exports()).toBe(before);
    expect((await readdir(directory)).filter((name) => /nowhere|partial/.test(name))).toEqual([]);

    expect((await runCli(app.env, 'consumer', 'export-all', path('recorded'))).exitCode).toBe(0);
    expect(await exports()).toBe(before + 1);
  });

  it('let consumers log in with the passwords of another system, whose hashes are then renewed', async () => {
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
    for (const { email, password } of consumers) {
      expect(await login(email, `${password.slice(0, 10)}?`)).toBe(401);
      expect(await login(email, password)).toBe(200);
      expect(await login(email, password)).toBe(200);
    }
    // Plain bcrypt reads 72 bytes; what the first login has sent counts in full from then on.
    expect(await login('old.3@example.com', longPassword.slice(0, 72))).toBe(401);
    const ids = consumers.map(({ customerId }) => `'${customerId}'`).join();
    expect(await count('credential', `consumer_id IN (${ids}) AND password_hash LIKE 'pepper:%$2b$04$%'`)).toBe(4);
  });

  describe('with lines that are refused', () => {
    const file = () => path('refusals.ndjson');
    const taken = newPerson({ email: 'taken@example.com', phone: '+12125550999' });
    const someone = (fields: object) => ({ firstName: 'Secretname', lastName: 'Secretname', ...fields });
    const linked = (subject: string) => ({ issuer: 'https://id.example.com', subject });
    const noName: [string, string][] = [
      ['externalIdentities.0.issuer', 'TOO_SHORT'],
      ['externalIdentities.0.subject', 'REQUIRED'],
    ];
    let takenId: string;
    let expected: Refusal[];

    const refusal = (line: number, ...errors: [field: string, code: string][]): Refusal => ({
      line,
      errors: errors.map(([field, code]) => ({ field, code })),
    });
    const codesOf = (refusals: Refusal[]): Refusal[] =>
      refusals.map(({ line, errors }) =>
        refusal(line, ...errors.map(({ field, code }) => [field, code] as [string, string])),
      );

    beforeAll(async () => {
      takenId = (await register(await app.client(), taken)).customerId;
      const filler = importRecords(1_200).map(({ phone: _, ...record }) => record);
      const unknownPepper = `pepper:0badc0de:${FOREIGN_HASH}`;
      const cases: [string | Buffer | object, ...[string, string][]][] = [
        [someone({ email: 'first@example.com', phone: '+12125550998' })],
        [someone({ email: 'TAKEN@example.com', phone: '+1 212 555 0999' }), ['email', 'IN_USE'], ['phone', 'IN_USE']],
        [someone({ customerId: takenId.toUpperCase() }), ['customerId', 'IN_USE']],
        ['{"firstName":"Secretname"', ['', 'MALFORMED_JSON']],
        ['["Secretname"]', ['', 'MALFORMED_JSON']],
        [Buffer.from('{"firstName":"Secretname\xff","lastName":"x"}', 'latin1'), ['', 'MALFORMED_JSON']],
        ['{"firstName":"a","firstName":"b","lastName":"c"}', ['', 'MALFORMED_JSON']],
        [someone({ note: 'x'.repeat(20_480) }), ['', 'TOO_LONG']],
        [someone({ email: 'second@example.com', birthDate: '2023-02-29' }), ['birthDate', 'INVALID_FORMAT']],
        [someone({ phone: 491_511 }), ['phone', 'INVALID_TYPE']],
        [someone({ password: 'Secretname in clear' }), ['password', 'FORBIDDEN']],
        [someone({ passwordHash: '$1$Secretname' }), ['passwordHash', 'INVALID_FORMAT']],
        [someone({ passwordHash: FOREIGN_HASH.replace('$04$', '$17$') }), ['passwordHash', 'INVALID_FORMAT']],
        [someone({ passwordHash: unknownPepper }), ['passwordHash', 'INVALID_VALUE']],
        [someone({ emailVerified: true }), ['email', 'REQUIRED']],
        [
          someone({ customerId: 'Secretname', createdAt: '2020-01-01' }),
          ['customerId', 'INVALID_FORMAT'],
          ['createdAt', 'INVALID_FORMAT'],
        ],
        [someone({ updatedAt: '9999-12-31T00:00:00Z' }), ['updatedAt', 'INVALID_VALUE']],
        [{ type: 'COMPANY', firstName: 'Secretname' }, ['type', 'INVALID_VALUE'], ['lastName', 'REQUIRED']],
        [someone({ externalIdentities: [linked('first')] })],
        [someone({ externalIdentities: [linked('own'), linked('first')] }), ['externalIdentities', 'IN_USE']],
        [someone({ externalIdentities: [linked('x'), linked('x')] }), ['externalIdentities', 'INVALID_VALUE']],
        [someone({ externalIdentities: linked('x') }), ['externalIdentities', 'INVALID_TYPE']],
        [someone({ externalIdentities: [null, 'Secretname'] }), ['externalIdentities', 'INVALID_TYPE']],
        [someone({ externalIdentities: [{ issuer: '' }] }), ...noName],
        [someone({ address: { country: 'GB', subdivision: 'US-CA' } }), ['address.subdivision', 'INVALID_VALUE']],
      ];
      const tail: typeof cases = [
        // Beyond the border of a batch: the first has it, and who was refused has nothing.
        [someone({ externalIdentities: [linked('first')] }), ['externalIdentities', 'IN_USE']],
        [someone({ externalIdentities: [linked('own')] })],
        [someone({ email: 'First@example.com' }), ['email', 'IN_USE']],
        [someone({ email: 'second@example.com', phone: '+12125550998' }), ['phone', 'IN_USE']],
        [`${JSON.stringify(someone({ email: 'second@example.com', emailVerified: true, locale: null }))}\r`],
        [''],
        ['\r'],
        [someone({ email: 'second@example.com' }), ['email', 'IN_USE']],
      ];
      const all: typeof cases = [...cases, ...filler.map((record): [object] => [record]), ...tail];
      expected = all.flatMap(([, ...errors], index) => (errors.length === 0 ? [] : [refusal(index + 1, ...errors)]));
      const lines = all.map(([line]) =>
        Buffer.isBuffer(line) || typeof line === 'string' ? line : JSON.stringify(line),
      );
      await writeLines(file(), lines);
      await writeFile(file(), (await readFile(file())).subarray(0, -1));
    });

    it('says so without importing anything', async () => {
      const [consumers, events] = [await count('consumer'), await count('audit_event', IMPORTED)];
      const answer = await runCli(app.env, 'consumer', 'import', file(), '--dry-run', '--json');
      expect(answer.exitCode).toBe(0);
      expect(JSON.parse(answer.stdout)).toMatchObject({ dryRun: true, imported: 1_204, refused: expected.length });
      const reported = answer.stderr.split('\n').filter((line) => line.startsWith('{'));
      expect(codesOf(reported.map((line) => JSON.parse(line) as Refusal))).toEqual(expected);
      expect([await count('consumer'), await count('audit_event', IMPORTED)]).toEqual([consumers, events]);
    });

    it('imports the others, and reports no personal data', async () => {
      const consumers = await count('consumer');
      const report = path('refusals.report');
      const summary = { lines: 1_204 + expected.length, imported: 1_204, refused: expected.length, already: 0 };
      expect(await importFile(file(), '--report', report)).toMatchObject(summary);
      expect(codesOf(await readLines<Refusal>(report))).toEqual(expected);
      expect(await readFile(report, 'utf8')).not.toMatch(/secretname|@example|\+1/i);
      expect((await stat(report)).mode & 0o777).toBe(0o600);

      expect(await count('consumer')).toBe(consumers + 1_204);
      const imported = `SELECT consumer_id FROM identifier WHERE value = 'second@example.com' AND verified_at IS NOT NULL`;
      const byTheCommand = `type = 'consumer.imported' AND actor = 'cli' AND consumer_id IN (${imported})`;
      expect(await count('audit_event', byTheCommand)).toBe(1);
      expect(
        JSON.parse((await runCli(app.env, 'message', 'list', '--to', 'second@example.com', '--json')).stdout),
      ).toEqual([]);
    });
  });

  it('go on where they were interrupted, and do nothing twice', async () => {
    const file = path('interrupted.ndjson');
    const records = importRecords(6_000).map(({ phone: _, ...record }) => record);
    await writeLines(file, records);
    const progress = async (): Promise<number> => {
      const [run] = await app.dataSource.query<{ lines: number }[]>(
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
      `Stopped after line ${stopped.after}; the same command goes on there\n`,
    ]);
    const killed = await interrupt('SIGKILL');
    expect(killed.before).toBe(stopped.after);
    expect(killed.after).toBeGreaterThan(killed.before);
    expect(killed.after).toBeLessThan(6_000);

    const rest = await importFile(file);
    expect(rest).toMatchObject({ lines: 6_000, refused: 0, imported: 6_000 - rest.already });
    expect(rest.already).toBeGreaterThanOrEqual(killed.after);
    const ids = (part: typeof records) => part.map(({ customerId }) => `'${customerId}'`).join();
    expect(await count('consumer', `id IN (${ids(records)})`)).toBe(6_000);
    expect(await count('audit_event', `type = 'consumer.imported' AND consumer_id IN (${ids(records)})`)).toBe(6_000);

    const events = await count('audit_event', IMPORTED);
    expect(await importFile(file)).toMatchObject({ lines: 6_000, imported: 0, refused: 0, already: 6_000 });
    expect(await count('audit_event', IMPORTED)).toBe(events);
  });

  it('let only one process import a file', async () => {
    const file = path('twice.ndjson');
    const records = importRecords(3_000).map(({ phone: _, ...record }) => record);
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
    expect(last).toMatchObject({ refused: 0, imported: 0, already: 3_000 });
    expect(await count('consumer')).toBe(before + 3_000);
  });

  it.each([
    ['a file that is not there', 'missing.ndjson', 'there is no such file or directory'],
    ['a directory', '.', 'only a regular file can be imported, because it is read twice'],
  ])('say in one line what is wrong with %s', async (_, name, reason) => {
    const { exitCode, stdout, stderr } = await runCli(app.env, 'consumer', 'import', path(name));
    expect([exitCode, stdout, stderr]).toEqual([1, '', `${path(name)}: ${reason}\n`]);
  });
});
