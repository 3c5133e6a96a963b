import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../../support/service/command-line/cli';
import { WarmCli } from '../../support/service/command-line/warm-cli';

const HOOK = join(__dirname, '../../fixtures/loaded-files-hook.cjs');
const HELP = [
  [],
  ['audit'],
  ['audit', 'list'],
  ['completion'],
  ['consumer'],
  ['consumer', 'sessions', 'revoke'],
  ['consumer', 'import'],
  ['db', 'migrate'],
  ['keys', 'generate'],
  ['message', 'list'],
  ['touchpoint'],
  ['touchpoint', 'create'],
  ['touchpoint', 'provider', 'add'],
];

/** What a command prints, and the files that it loads, with settings and a directory that it could not use. */
async function loadedBy(...command: string[]): Promise<{ stdout: string; exitCode: number; loaded: string[] }> {
  const dataDir = join(tmpdir(), 'no-such-directory');
  const env = { DATA_DIR: dataDir, BCRYPT_COST: 'wrong', NODE_OPTIONS: `--require=${HOOK}` };
  const { exitCode, stdout, stderr } = await runCli(env, ...command);
  expect(existsSync(dataDir)).toBe(false);
  return { stdout, exitCode, loaded: JSON.parse(stderr) as string[] };
}

const APPLICATION = /@nestjs|typeorm|\bpg\b|pglite|rxjs|zod|\.module\./;

describe('the help of the command line', () => {
  it.each(HELP.map((command) => [['cli', ...command].join(' '), command] as const))(
    'of `%s` loads neither the application nor a database',
    async (name, command) => {
      const { exitCode, stdout, loaded } = await loadedBy(...command, '--help');
      expect([exitCode, stdout.split('\n')[0]]).toEqual([0, expect.stringContaining(`Usage: ${name}`)]);
      expect(loaded).toContain('dist/cli.js');
      expect(loaded.filter((file) => APPLICATION.test(file))).toEqual([]);
    },
  );

  it('is not the only thing that loads neither: so does the completion for a shell', async () => {
    const { exitCode, loaded } = await loadedBy('completion', 'bash');
    expect(exitCode).toBe(0);
    expect(loaded).toContain('dist/cli.js');
    expect(loaded.filter((file) => APPLICATION.test(file))).toEqual([]);
  });

  it('has examples for every group, which the parser takes', async () => {
    const warm = new WarmCli();
    // Refused by what comes after the parser, before anything is opened.
    const cli = (...args: string[]) => warm.run({ args, env: { BCRYPT_COST: 'wrong' } });
    const groups = [...(await cli('--help')).stdout.matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, name = '']) => name);
    expect(groups).toContain('touchpoint');
    for (const group of [...groups.map((name) => [name]), ['touchpoint', 'provider'], ['subscriber', 'webhook']]) {
      const [, text = ''] = /^Examples:\n((?: {2}cli .*\n)+)/m.exec((await cli(...group, '--help')).stdout) ?? [];
      const examples = [...text.matchAll(/^ {2}cli (.*)$/gm)].map(([, example = '']) => example);
      expect([group, examples]).not.toEqual([group, []]);
      for (const example of examples) {
        const words = [...example.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');
        expect(words.slice(0, group.length)).toEqual(group);
        const { stderr } = await cli(...words);
        expect([example, stderr]).toEqual([example, expect.stringMatching(/^Some settings are wrong:/)]);
      }
    }
  });

  it.each([
    [['touchpiont'], "unknown command 'touchpiont' (Did you mean touchpoint?)"],
    [['touchpoint', 'creat'], "unknown command 'touchpoint creat' (Did you mean create?)"],
    [['subscriber', 'webhook', 'tst'], "unknown command 'subscriber webhook tst' (Did you mean test?)"],
    [['touchpoint', 'list', '--jsn'], "unknown option '--jsn' (Did you mean --json?)"],
    [['consumer', 'erase', 'ID', '--yse'], "unknown option '--yse' (Did you mean --yes?)"],
  ])('is brought nearer by a mistake: `%s` suggests what was meant', async (words, told) => {
    expect(await runCli({}, ...words)).toEqual({ exitCode: 1, stdout: '', stderr: `${told}\n` });
  });

  it('is shown, as an error, by a group that is given no command', async () => {
    const { exitCode, stdout, stderr } = await runCli({}, 'touchpoint');
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toContain('Usage: cli touchpoint [options] [command]');
    const unknown = await runCli({}, 'touchpoint', 'provider', 'frobnicate');
    expect(unknown).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: "unknown command 'touchpoint provider frobnicate'; see touchpoint provider --help\n",
    });
  });
});
