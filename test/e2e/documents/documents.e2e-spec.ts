import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pagesIn, ROOT } from '../../support/documents/pages';
import { TestService } from '../../support/service/test-service';

const NOT_RUN = /_not run (here_|by a test: )/i;

/** How those begin that are run below. */
const COMMAND_LINE = 'npm run --silent cli -- ';

/** What else is run, and by what; any other command must be marked. */
const RUN_ELSEWHERE: { by: string; commands: RegExp }[] = [
  { by: '.ci/run', commands: /^npm ci$|^npm (test|run build)$/ },
  {
    by: 'test/e2e/documents/readme.e2e-spec.ts',
    commands: /^(curl -i|LOGIN=|TOKEN=|echo "\$LOGIN"|export TOUCHPOINT_KEY=)/,
  },
  {
    by: 'test/e2e/administration/completion.e2e-spec.ts',
    commands: /^cli\(\) |^source <\(cli completion bash\)$/,
  },
  { by: 'test/e2e/sandbox/sandbox-command.e2e-spec.ts', commands: /^npm run sandbox$|^curl .*\/sandbox\/messages/ },
  { by: 'src/app/container-settings.spec.ts', commands: /^node docker\/make-secrets\.mjs$/ },
  { by: 'test/support/service/running-process.ts, by the same command', commands: /^npm (start|run start:prod)$/ },
  {
    by: 'hand, with PostgreSQL 15',
    commands: /^mkdir restored$|^(createuser|createdb|psql|pg_dump|pg_restore|tar|(\w+=\S+ )+npm run) /,
  },
];

interface Block {
  where: string;
  commands: string[];
  isMarked: boolean;
}

/** The shell's commands, one each: without comments, continued lines joined, `a && b` apart. */
const commandsOf = (block: string): string[] =>
  block
    .replaceAll(/\\\n\s*/g, '')
    .split(/\n| && /)
    .map((line) => line.replace(/\s+#.*$/, '').trim())
    .filter((line) => line !== '');

/** A block is marked by the paragraph right before it or right after it. */
function blocksOf(file: string): Block[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(({ 0: whole, 1: block = '', index }) => {
    const before = text.slice(0, index).trimEnd().split('\n\n').at(-1) ?? '';
    const [after = ''] = text
      .slice(index + whole.length)
      .trimStart()
      .split('\n\n');
    return { where: file, commands: commandsOf(block), isMarked: NOT_RUN.test(before) || NOT_RUN.test(after) };
  });
}

/** Pages of which a test of their own runs every command, by the name of the test. */
const RUN_AS_A_WHOLE: Record<string, string> = {
  'docs/integrate/start.md': 'test/e2e/documents/start-page.e2e-spec.ts',
  'docs/integrate/getting-started.md': 'test/e2e/documents/getting-started.e2e-spec.ts',
};

/** Each of them is a program, which `npm run test:guides` runs. */
const GUIDES = 'docs/integrate/guides/';

const guides = pagesIn('docs').filter((page) => !(page in RUN_AS_A_WHOLE) && !page.startsWith(GUIDES));
const blocks = ['README.md', ...guides].flatMap(blocksOf);
const ofTheCommandLine = blocks
  .flatMap(({ commands }) => commands)
  .filter((command) => command.startsWith(COMMAND_LINE))
  .map((command) => command.slice(COMMAND_LINE.length));

describe('the commands of the documents', () => {
  it('are run somewhere, or are marked as not run', () => {
    const isRun = (command: string) =>
      command.startsWith(COMMAND_LINE) || RUN_ELSEWHERE.some(({ commands }) => commands.test(command));
    const unmarked = blocks.filter(({ isMarked }) => !isMarked);
    expect(unmarked.map(({ where, commands }) => [where, commands.filter((command) => !isRun(command))])).toEqual(
      unmarked.map(({ where }) => [where, []]),
    );
    // Every entry of the list is about commands that the documents have.
    const all = blocks.flatMap(({ commands }) => commands);
    for (const { commands } of RUN_ELSEWHERE) expect(all).toContainEqual(expect.stringMatching(commands));
  });

  describe('that administer the service', () => {
    let app: TestService;

    beforeAll(async () => {
      // Of its own: the documents name the touchpoint, and end the keys that others' tokens are signed with.
      app = await TestService.start();
      await app.administer('touchpoint', 'create', '--code', 'shop');
      await app.administer('subscriber', 'create', '--code', 'crm');
    });

    it('reach the service through npm as directly', async () => {
      const env = { ...app.env, PATH: process.env.PATH ?? '' };
      const { stdout } = await promisify(execFile)('sh', ['-c', `${COMMAND_LINE}touchpoint show shop`], {
        cwd: ROOT,
        env,
      });
      expect(stdout).toBe((await app.cli('touchpoint', 'show', 'shop')).stdout);
    });

    it.each([...new Set(ofTheCommandLine)])('do what they say: %s', async (command) => {
      // A shell would read nothing in it otherwise.
      expect(command).toMatch(/^[\w ,/@.:-]+$/);
      expect(await app.cli(...command.split(' '))).toMatchObject({ exitCode: 0 });
    });
  });
});
