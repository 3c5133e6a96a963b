import { randomUUID } from 'node:crypto';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiClient } from '../../support/api/api-client';
import { CLI_PROGRAM, type CliResult, runCli } from '../../support/service/command-line/cli';
import { newPerson, register } from '../../support/api/consumers';
import { TestService } from '../../support/service/test-service';

const TIMEOUT_MS = 120_000;

/** Clears the screen, goes back in the line, and turns the direction of reading, by three kinds of characters. */
const HOSTILE = 'gold\u001b[2J\rhasPassword: true\nlevel\u009b1A\u202e\u2028end\ud83d\ude00';

/** Everything that is no letter, digit, sign or space, but for the end of a line. */
const UNPRINTABLE = /[^\P{C}\n]|[\u2028\u2029]/u;

describe('the output of commands', () => {
  let app: TestService;
  let client: ApiClient;
  let directory: string;
  let settings: Record<string, string>;

  beforeAll(async () => {
    app = await TestService.shared();
    settings = { ...app.env, DATABASE_URL: app.databaseUrl };
    client = await app.client();
    directory = await mkdtemp(join(tmpdir(), 'command-output-'));
  });
  afterAll(async () => {
    await rm(directory, { recursive: true });
  });

  const cli = (...args: string[]) => app.cli(...args);
  /** In `directory`, where `cli` stands for the program. */
  const shell = (script: string): Promise<CliResult> =>
    new Promise((resolve) => {
      // The database is shared: nobody knows how many consumers other files have left for an export.
      const options = { cwd: directory, env: { PATH: process.env.PATH ?? '', ...settings }, maxBuffer: Infinity };
      const program = `set -o pipefail; cli() { '${process.execPath}' '${CLI_PROGRAM}' "$@"; }; ${script}`;
      const child = execFile('bash', ['--norc', '-c', program], options, (_, stdout, stderr) => {
        resolve({ exitCode: child.exitCode ?? -1, stdout, stderr });
      });
    });

  it(
    'says in one line that it could not be written',
    async () => {
      const { exitCode, stderr } = await shell('cli touchpoint list --json > /dev/full');
      expect([exitCode, JSON.parse(stderr)]).toEqual([1, { error: expect.stringContaining('ENOSPC') as unknown }]);
      expect((await cli('touchpoint', '--nonsense')).stderr).toBe("unknown option '--nonsense'\n");
    },
    TIMEOUT_MS,
  );

  it(
    'shows what consumers have stored as text that steers no terminal and begins no line',
    async () => {
      const attributes = { tier: HOSTILE, [`${HOSTILE}name`]: 1 };
      const { customerId } = await register(client, { attributes });
      for (const command of ['show', 'export']) {
        const { stdout } = await cli('consumer', command, customerId);
        expect(stdout).not.toMatch(UNPRINTABLE);
        expect(stdout.match(/^ *hasPassword: .*$/gm)).toHaveLength(1);
        expect(stdout).toContain('gold\\u001b[2J\\u000dhasPassword: true\\u000alevel\\u009b1A\\u202e\\u2028end😀');
        const json = await cli('consumer', command, customerId, '--json');
        expect(json.stdout).not.toMatch(UNPRINTABLE);
        expect(JSON.parse(json.stdout)).toMatchObject({ profile: { attributes } });
      }
      const { stderr } = await cli('touchpoint', 'show', HOSTILE);
      expect(stderr).not.toMatch(UNPRINTABLE);
      expect(stderr).toMatch(/^.*gold\\u001b\[2J.*\n$/);
    },
    TIMEOUT_MS,
  );

  it(
    'tells programs that ask for JSON of a failure as one JSON object on standard error',
    async () => {
      const failures = [
        ['consumer', 'show', 'nobody@example.com'],
        ['consumer', 'show'],
        ['touchpoint', 'create', '--code', 'json-error', '--channel-proof', 'PIGEON'],
        ['nothing'],
      ];
      for (const args of failures) {
        const plain = await cli(...args);
        const { exitCode, stdout, stderr } = await cli(...args, '--json');
        expect([args, exitCode, stdout, stderr.split('\n').length]).toEqual([args, 1, '', 2]);
        expect(JSON.parse(stderr)).toEqual({ error: plain.stderr.trim() });
      }
      const unset = await runCli({ ...settings, PORT: 'none', BCRYPT_COST: 'high' }, 'db', 'status', '--json');
      expect(Object.keys(JSON.parse(unset.stderr) as object)).toEqual(['error']);
    },
    TIMEOUT_MS,
  );

  it(
    'ends quietly when nobody reads it to its end',
    async () => {
      await app.query(
        `INSERT INTO audit_event (id, occurred_at, type, details)
         SELECT gen_random_uuid(), now(), 'test', jsonb_build_object('padding', repeat('x', 300))
         FROM generate_series(1, 1000)`,
      );
      for (const command of ['audit list', 'audit list --json']) {
        expect(await shell(`${command.replace('audit', 'cli audit')} 2> errors | head -c 1 | wc -c`)).toEqual({
          exitCode: 0,
          stdout: '1\n',
          stderr: '',
        });
        expect(await readFile(join(directory, 'errors'), 'utf8')).toMatch(/^(There are older events: .*\n)?$/);
      }
    },
    TIMEOUT_MS,
  );

  it(
    'is all consumers for `export-all -`, recorded before they leave, and no file',
    async () => {
      await register(client);
      const { exitCode, stdout, stderr } = await shell('cli consumer export-all -');
      const [{ count } = { count: 0 }] = await app.query<{ count: number }>('SELECT count(*)::int FROM consumer');
      expect([exitCode, stdout.trimEnd().split('\n').length]).toEqual([0, count]);
      for (const line of stdout.trimEnd().split('\n')) expect(JSON.parse(line)).toHaveProperty('customerId');
      expect(stderr).toContain(`${count} consumers were exported\n`);
      expect(await readdir(directory)).not.toContain('-');
      expect(existsSync(join(tmpdir(), '-'))).toBe(false);

      await app.query(
        `INSERT INTO consumer (id, type, first_name, last_name, attributes, created_at, updated_at)
         SELECT gen_random_uuid(), 'PERSON', repeat('A', 100), 'L', NULL, now(), now() FROM generate_series(1, 2000)`,
      );
      const cut = await shell('cli consumer export-all - 2> errors | head -c 1 | wc -c');
      expect([cut.exitCode, cut.stdout]).toEqual([1, '1\n']);
      expect(await readFile(join(directory, 'errors'), 'utf8')).toBe(
        'Standard output was closed: the export is not complete\n',
      );
      const recorded = await app.query<{ details: object }>(
        `SELECT details FROM audit_event WHERE type = 'consumers.exported' ORDER BY occurred_at`,
      );
      // Tests before this one have exported too.
      expect(recorded.slice(-2).map(({ details }) => details)).toEqual([
        { consumers: count },
        { consumers: count + 2000 },
      ]);
    },
    TIMEOUT_MS,
  );

  it(
    'never makes a file named - of a name that means a standard stream',
    async () => {
      const refused = [await shell('cli consumer import -'), await shell('cli consumer import people --report -')];
      expect(refused.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual([
        [1, 'Name a file: it is read twice, and standard input cannot be\n'],
        [1, '--report must name a file: without it, what is refused goes to standard error\n'],
      ]);
      expect(await readdir(directory)).not.toContain('-');
    },
    TIMEOUT_MS,
  );

  it(
    'goes into files that their owner alone can read, whatever the umask allows',
    async () => {
      await register(client, newPerson());
      const made = await shell(
        `umask 0; cli consumer export-all all.ndjson && echo '{"email": 1}' > bad.ndjson &&
         cli consumer import bad.ndjson --report refused.ndjson`,
      );
      expect(made.exitCode).toBe(0);
      for (const name of ['all.ndjson', 'refused.ndjson']) {
        expect([name, ((await stat(join(directory, name))).mode & 0o777).toString(8)]).toEqual([name, '600']);
      }
    },
    TIMEOUT_MS,
  );

  it(
    'warns whoever sets up a touchpoint for one-time codes that its consumers cannot log in again',
    async () => {
      const warning = /^Login by one-time code is reserved \(501\): .* cannot log in again .*\n$/;
      const [otp, password] = [`otp-${randomUUID()}`, `password-${randomUUID()}`];
      const created = await cli('touchpoint', 'create', '--code', otp, '--auth-mode', 'OTP', '--json');
      expect(created).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(warning) as string });
      expect(JSON.parse(created.stdout)).toMatchObject({ code: otp, authenticationMode: 'OTP' });
      expect((await cli('touchpoint', 'create', '--code', password)).stderr).toBe('');
      expect((await cli('touchpoint', 'update', password, '--auth-mode', 'OTP')).stderr).toMatch(warning);
      expect((await cli('touchpoint', 'update', otp, '--name', 'Codes')).stderr).toBe('');
    },
    TIMEOUT_MS,
  );
});
