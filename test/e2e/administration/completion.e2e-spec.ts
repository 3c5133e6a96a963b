import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { runCli } from '../../support/service/command-line/cli';

const help = async (...command: string[]) => (await runCli({}, ...command, '--help')).stdout;

/** The names that a help lists, of commands or of options. */
const listed = (text: string, section: 'Commands' | 'Options'): string[] => {
  const [, lines = ''] = new RegExp(`^${section}:\\n((?: {2}.*\\n)+)`, 'm').exec(text) ?? [];
  return [...lines.matchAll(/^ {2}(\S.*?)(?: {2,}| [[<]|$)/gm)].flatMap(([, names = '']) => names.split(', '));
};

describe('the completion of commands in bash', () => {
  let script: string;

  beforeAll(async () => {
    const { exitCode, stdout, stderr } = await runCli({}, 'completion', 'bash');
    expect([exitCode, stderr]).toEqual([0, '']);
    script = stdout;
  });

  /** What bash offers for the last of these words. */
  const offered = async (words: string[], name = 'cli', source = script): Promise<string[]> => {
    const program = `source /dev/stdin <<< "$SCRIPT"
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
      [[ $(complete -p ${name}) =~ -F\\ ([^ ]+) ]]
      "\${BASH_REMATCH[1]}"
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    const options = { env: { PATH: process.env.PATH, SCRIPT: source } };
    const { stdout } = await promisify(execFile)('bash', ['--norc', '-uc', program, 'bash', ...words], options);
    return stdout.split('\n').filter((line) => line !== '');
  };

  it('offers every command and every option that the help of its place has', async () => {
    const visit = async (place: string[]): Promise<number> => {
      const text = await help(...place);
      const members = listed(text, 'Commands').filter((name) => name !== 'help');
      const all = await offered(['cli', ...place, '']);
      expect([place, all]).toEqual([place, expect.arrayContaining(members) as unknown]);
      const options = listed(text, 'Options').filter((flag) => flag.startsWith('--'));
      expect([place, (await offered(['cli', ...place, '--'])).sort()]).toEqual([place, options.sort()]);
      const below = [];
      for (const member of members) below.push(await visit([...place, member]));
      return below.reduce((sum, each) => sum + each, 1);
    };
    expect(await visit([])).toBeGreaterThan(40);
  }, 300_000);

  it.each([
    [['touchpoint', 'cr'], ['create']],
    [
      ['touchpoint', 'create', '--auth-mode', ''],
      ['PASSWORD', 'OTP'],
    ],
    [['touchpoint', 'update', 'shop', '--channel-proof', 'E'], ['EMAIL']],
    [['touchpoint', 'create', '--auth-mode', '=', 'O'], ['OTP']],
    [['touchpoint', 'create', '--name', 'list', '--auth'], ['--auth-mode']],
    [['touchpoint', 'create', '--code', ''], []],
    [
      ['operator', 'role', 'ada@example.com', 'A'],
      ['AUDITOR', 'ADMIN'],
    ],
    [['operator', 'invite', 'ada@example.com', '--role', 'SUP'], ['SUPPORT']],
    [['consumer', 'import', '--re'], ['--report']],
    [['completion', 'z'], ['zsh']],
  ])('of `%s` is %s', async (words, expected) => {
    expect(await offered(['cli', ...words])).toEqual(expected);
  });

  it('works under another name', async () => {
    const { stdout } = await runCli({}, 'completion', 'bash', '--name', 'consumer-service');
    expect(await offered(['consumer-service', 'touchpoint', 'rot'], 'consumer-service', stdout)).toEqual([
      'rotate-key',
    ]);
    const { exitCode, stderr } = await runCli({}, 'completion', 'bash', '--name', 'a;b');
    expect([exitCode, stderr]).toEqual([1, '--name must be a name of letters, digits, - and _\n']);
  });

  it('is there for zsh and fish too, and for no other shell', async () => {
    for (const shell of ['zsh', 'fish']) {
      const { exitCode, stdout } = await runCli({}, 'completion', shell);
      expect([exitCode, stdout]).toEqual([0, expect.stringContaining('PASSWORD OTP')]);
    }
    const { exitCode, stderr } = await runCli({}, 'completion', 'tcsh');
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('Allowed choices are bash, zsh, fish')]);
  });
});
