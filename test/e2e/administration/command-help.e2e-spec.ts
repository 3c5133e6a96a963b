import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../../support/service/command-line/cli';

const HOOK = join(__dirname, '../../fixtures/loaded-files-hook.cjs');
const HELP = [
  [],
  ['audit'],
  ['audit', 'list'],
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

describe('the help of the command line', () => {
  it.each(HELP.map((command) => [['cli', ...command].join(' '), command] as const))(
    'of `%s` loads neither the application nor a database',
    async (name, command) => {
      const dataDir = join(tmpdir(), 'no-such-directory');
      const env = { DATA_DIR: dataDir, BCRYPT_COST: 'wrong', NODE_OPTIONS: `--require=${HOOK}` };
      const { exitCode, stdout, stderr } = await runCli(env, ...command, '--help');
      expect([exitCode, stdout.split('\n')[0]]).toEqual([0, expect.stringContaining(`Usage: ${name}`)]);
      const loaded = JSON.parse(stderr) as string[];
      expect(loaded).toContain('dist/cli.js');
      expect(loaded.filter((file) => /@nestjs|typeorm|\bpg\b|pglite|rxjs|zod|\.module\./.test(file))).toEqual([]);
      expect(existsSync(dataDir)).toBe(false);
    },
  );

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
