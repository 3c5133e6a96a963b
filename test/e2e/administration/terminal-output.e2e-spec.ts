import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCli } from '../../support/service/command-line/cli';
import { atTerminal, withoutControl } from '../../support/service/command-line/terminal';
import { importRecords, writeLines } from '../../support/import/file';
import { Installation } from '../../support/import/installation';

const MIGRATIONS = join(__dirname, '../../../migrations');
const ESCAPE = '\u001b';
const [BOLD, GREEN, YELLOW, RED] = ['\u001b[1m', '\u001b[32m', '\u001b[33m', '\u001b[31m'];

describe('what a terminal shows', () => {
  let installation: Installation;
  let env: Record<string, string>;
  const code = 'cafe';

  beforeAll(async () => {
    installation = await Installation.start();
    env = installation.service.env;
    await installation.service.administer('touchpoint', 'create', '--code', code, '--name', 'Café');
  });
  afterAll(() => installation.close());

  const at = (line: string, more: Record<string, string> = {}) => atTerminal(line, { ...env, ...more });

  it('is in colour where it matters: headings, what is enabled, warnings, failures and a key that is shown once', async () => {
    const [shown] = await at(`cli touchpoint show ${code}`);
    expect(shown).toContain(`enabled: ${GREEN}true`);
    expect(shown).toContain(`${BOLD}keys:`);
    const [rotated] = await at(`cli touchpoint rotate-key ${code}`);
    expect(rotated).toContain(`key: ${YELLOW}tpk_`);
    const [warned] = await at(`cli touchpoint update ${code} --auth-mode OTP`);
    expect(warned).toContain(`${YELLOW}Login by one-time code is reserved`);
    const [disabled] = await at(`cli touchpoint disable ${code}`);
    expect(disabled).toContain(`enabled: ${RED}false`);
    const [failed, exitCode] = await at('cli touchpoint show nobody');
    expect([failed, exitCode]).toEqual([expect.stringContaining(`${RED}There is no touchpoint nobody`), 1]);
    const [help] = await at('cli touchpoint --help');
    expect(help).toContain(`${BOLD}Examples:`);
  });

  it('is what a pipe gets, but for colours', async () => {
    const { stdout } = await runCli(env, 'touchpoint', 'show', code);
    expect(stdout).not.toContain(ESCAPE);
    expect(withoutControl((await at(`cli touchpoint show ${code}`))[0])).toBe(stdout);
    expect((await at(`cli touchpoint show ${code}`, { NO_COLOR: '1' }))[0]).toBe(stdout);
  });

  it.each([
    ['NO_COLOR', '1'],
    ['FORCE_COLOR', '0'],
  ])('has no colour with %s=%s, in help and failures neither', async (name, value) => {
    for (const command of ['cli touchpoint frobnicate', 'cli touchpoint --help']) {
      const [plain] = await at(command, { [name]: value });
      expect(plain).not.toContain(ESCAPE);
      const [coloured] = await at(command);
      expect(coloured).toContain(ESCAPE);
      expect(plain).toBe(withoutControl(coloured));
    }
  });

  it('is a table of a list, where that fits the terminal', async () => {
    const [table] = await at('cli touchpoint list');
    expect(table).toContain(`${BOLD}code `);
    const lines = withoutControl(table).trimEnd().split('\n');
    // Only a service on the embedded database begins with a touchpoint of its own.
    expect(lines.length).toBeGreaterThanOrEqual(2);
    expect(lines[0]).toMatch(/^code +authenticationMode +channelProof +enabled +name$/);
    const column = (line: string) => line.indexOf('NONE');
    expect(lines.slice(1).map(column)).toEqual(Array(lines.length - 1).fill(lines[0]?.indexOf('channelProof')));
    expect(lines.find((line) => line.startsWith(code))).toMatch(/ Café$/);

    // The name alone is cut.
    const longName = 'x'.repeat(99);
    await installation.service.administer('touchpoint', 'create', '--code', 'long', '--name', longName);
    const [cut] = await at('cli touchpoint list');
    expect(withoutControl(cut)).toMatch(/^long .* x+…$/m);
    expect(
      Math.max(
        ...withoutControl(cut)
          .split('\n')
          .map(({ length }) => length),
      ),
    ).toBe(100);

    const [narrow] = await at('stty cols 50; cli touchpoint list');
    expect(narrow).toContain(`${BOLD}code: `);
    expect(withoutControl(narrow)).toContain(`\nname: Café\n`);
    expect(withoutControl((await at('cli operator list'))[0])).toBe('none\n');
  });

  it('is neither colour nor table in a pipe, though the rest is a terminal', async () => {
    const [list] = await at('cli touchpoint list | cat');
    expect(list).toBe((await runCli(env, 'touchpoint', 'list')).stdout);
    expect(list).toMatch(/^code: .*\nname: /);
    const [help] = await at('cli touchpoint --help | cat; cli touchpoint frobnicate 2>&1 | cat');
    expect(help).toContain('Usage: cli touchpoint');
    expect(list + help).not.toContain(ESCAPE);
  });

  it('has no colour with --json, though FORCE_COLOR brings it into a pipe without', async () => {
    const forced = { ...env, FORCE_COLOR: '1' };
    expect((await runCli(forced, 'touchpoint', 'show', code)).stdout).toContain(ESCAPE);
    expect((await runCli(forced, 'touchpoint', 'show', code, '--json')).stdout).not.toContain(ESCAPE);
    const [json] = await at(`cli touchpoint show ${code} --json`);
    expect(JSON.parse(json)).toMatchObject({ code });
  });

  it('is one line about the progress of an import and an export, which rewrites itself', async () => {
    const [file, copy] = [installation.path('people.ndjson'), installation.path('copy.ndjson')];
    await writeLines(file, importRecords(4_000));
    const [imported, exitCode] = await at(`cli consumer import '${file}'`);
    expect(exitCode).toBe(0);
    expect(imported).toMatch(/\[K\[#*\.*\] +\d+ % {2}[\d,]+ lines, [\d,]+\/s, \d+:\d\d left\r/);
    // Nothing is left of it.
    expect(imported.slice(imported.lastIndexOf('\u001b[K'))).not.toMatch(/%|left/);
    const [exported] = await at(`cli consumer export-all '${copy}'`);
    expect(exported).toMatch(/\[K\[#*\.*\] +\d+ % {2}[\d,]+ consumers, [\d,]+\/s/);

    const piped = await runCli(env, 'consumer', 'export-all', installation.path('piped.ndjson'));
    expect(piped.stderr).not.toContain(ESCAPE);
    expect(piped.stderr).not.toContain(' %');
    expect(readFileSync(installation.path('piped.ndjson'), 'utf8')).toBe(readFileSync(copy, 'utf8'));
  });

  it('names the migration that is being applied, and a pipe does not', async () => {
    // These three can be applied again only together.
    const names = readdirSync(MIGRATIONS).flatMap((name) => /^(.*)\.down\.sql$/.exec(name)?.[1] ?? []);
    const latest = names.filter((name) => name >= '0021').sort();
    const undo = async () => {
      for (const name of latest.toReversed()) {
        await installation.service.query(readFileSync(join(MIGRATIONS, `${name}.down.sql`), 'utf8'));
        await installation.service.query('DELETE FROM migration WHERE name LIKE $1', [`${name}-%`]);
      }
    };
    await undo();
    const [shown, exitCode] = await at('cli db migrate');
    expect(exitCode).toBe(0);
    for (const [index, name] of latest.entries()) {
      expect(shown).toMatch(new RegExp(`\\[K\\[#*\\.*\\] +\\d+ % {2}${index} migrations, .*${name}`));
    }
    await undo();
    const piped = await runCli(env, 'db', 'migrate');
    expect([piped.exitCode, piped.stderr]).toEqual([0, '']);
  });

  it('says after a mistake where help is', async () => {
    const [shown, exitCode] = await at('cli touchpoint show');
    expect([withoutControl(shown), exitCode]).toEqual([
      "missing required argument 'code'\nSee touchpoint show --help\n",
      1,
    ]);
  });
});
