import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Shell } from '../../support/documents/shell';
import { TestService } from '../../support/service/test-service';
import { until } from '../../support/until';

const read = (page: string) => readFileSync(join(__dirname, '../../..', page), 'utf8');
const BASE_URL = 'http://127.0.0.1:3000';

/** The commands that promise a status, in their order. */
const steps = [...read('README.md').matchAll(/\((\d{3})\)[^`]*?:\n\n```sh\n([^`]+)```/g)].map(
  ([, status = '', command = '']) => ({
    status,
    command,
  }),
);

/** The rows of the table of commands, each by its words without arguments. */
const commands = [...read('docs/operate/commands.md').matchAll(/^\| (`.*?`) +\|/gm)]
  .flatMap(([, cell = '']) => [...cell.matchAll(/`([a-z][a-z -]*[a-z])[^`]*`/g)].map(([, words = '']) => words.trim()))
  .filter((words) => words.includes(' '));

describe('the README', () => {
  let app: TestService;
  let directory: string;
  let shell: Shell;

  beforeAll(async () => {
    app = await TestService.start({ unprepared: true, env: { DATABASE_URL: 'embedded' } });
    directory = await mkdtemp(join(tmpdir(), 'readme-'));
    shell = new Shell(directory, {});
  });
  afterAll(async () => {
    await shell.close();
    await rm(directory, { recursive: true });
    await app.close();
  });

  it('leads from the printed key to the profile by commands that answer as it says', async () => {
    const printedKey = () => /^ *(export TOUCHPOINT_KEY=\S+)$/m.exec(app.log)?.[1];
    await until(() => printedKey() !== undefined);
    await shell.run(printedKey() ?? '');
    expect(steps.map(({ status }) => status)).toEqual(['201', '200', '200']);
    for (const { status, command } of steps) {
      const printed = await shell.run(command.replaceAll(BASE_URL, app.baseUrl));
      expect({ command, printed }).toEqual({
        command,
        printed: expect.stringContaining(`HTTP/1.1 ${status} `) as string,
      });
    }
  });

  it('names commands that there are', async () => {
    expect(commands.length).toBeGreaterThan(15);
    const helps = await Promise.all(
      [...new Set(commands.map((words) => words.split(' ')[0] ?? ''))].map(async (group) => {
        const { stdout, stderr } = await app.cli(group, '--help');
        return [group, stdout + stderr] as const;
      }),
    );
    const helpOf = new Map(helps);
    for (const words of commands) {
      const [group = '', command = ''] = words.split(' ');
      expect({ words, help: helpOf.get(group) }).toEqual({
        words,
        help: expect.stringMatching(new RegExp(`^  ${command}\\b`, 'm')) as string,
      });
    }
  });
});
