import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recoveryCode } from '../../support/api/recovery';
import { blocksOf } from '../../support/documents/code-blocks';
import { codeSentTo } from '../../support/messages/mailbox';
import { Shell } from '../../support/documents/shell';
import { TestService } from '../../support/service/test-service';

const ROOT = join(__dirname, '../../..');

describe('the getting-started page', () => {
  let app: TestService;
  let directory: string;
  let shell: Shell;

  beforeAll(async () => {
    app = await TestService.withStoppedClock();
    directory = await mkdtemp(join(tmpdir(), 'getting-started-'));
    shell = new Shell(directory, { API: app.baseUrl });
  });
  afterAll(async () => {
    await shell.close();
    await rm(directory, { recursive: true });
  });

  /** As the page has it, run by an administrator, who copies the key out of what is printed. */
  function createTouchpoint(command: string): string {
    const env = { ...app.env, PATH: process.env.PATH ?? '' };
    const printed = execFileSync('sh', ['-c', `${command} --json`], { cwd: ROOT, env }).toString();
    return (JSON.parse(printed) as { key: string }).key;
  }

  async function readableByOthers(): Promise<string[]> {
    const files = await readdir(directory);
    const modes = await Promise.all(files.map(async (file) => (await stat(join(directory, file))).mode));
    return files.filter((_, index) => ((modes[index] ?? 0) & 0o077) !== 0);
  }

  it('leads from a new touchpoint to a logout by commands that do what it says, and leaves no secret behind', async () => {
    const page = await (await fetch(`${app.baseUrl}/docs/getting-started`)).text();
    const [address, create, ...commands] = blocksOf(page, 'sh');
    expect(address?.code).toMatch(/^export API=/);
    expect(commands.length).toBeGreaterThan(9);
    await shell.run(`TOUCHPOINT_KEY=${createTouchpoint(create?.code ?? '')}`);
    for (const { code: command, answer } of commands) {
      // The page says to wait a minute after the last code.
      if (command.includes('/forgot')) await app.clock.advance({ minutes: 1 });
      if (command.includes('$RECOVERY_CODE')) {
        await shell.run(`RECOVERY_CODE=${await recoveryCode(app, 'ada.lovelace@example.com')}`);
      }
      if (command.includes('$CODE')) await shell.run(`CODE=${await codeSentTo(app, 'ada.lovelace@example.com')}`);
      const printed = await shell.run(command);
      const statusLine = /HTTP\/1\.1 (\d{3} [^\r\n]*)/.exec(printed)?.[1];
      expect({ command, answer: statusLine, printed }).toEqual({ command, answer, printed });
      expect({ command, readableByOthers: await readableByOthers() }).toEqual({ command, readableByOthers: [] });
    }
    expect(await readdir(directory)).toEqual([]);
  });
});
