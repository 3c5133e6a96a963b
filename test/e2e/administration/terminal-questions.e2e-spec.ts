import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { register } from '../../support/api/consumers';
import { CTRL_C, Terminal } from '../../support/service/command-line/terminal';
import { TestService } from '../../support/service/test-service';

describe('a command at a terminal', () => {
  let app: TestService;
  let env: Record<string, string>;

  beforeAll(async () => {
    app = await TestService.shared();
    env = { ...app.env, PORT: new URL(app.baseUrl).port };
  });

  const at = (line: string) => new Terminal(line, env);
  const codes = async () => (await app.query<{ code: string }>('SELECT code FROM touchpoint')).map(({ code }) => code);

  it('asks for what a new touchpoint lacks, refuses a wrong answer at once, and shows how its key is used', async () => {
    const code = `asked-${randomUUID()}`;
    const terminal = at("cli touchpoint create --rate-limit 7/60 --name 'Given name'");
    await terminal.answer('Code (3 to 64 of a-z, 0-9 and -)', 'No Code\r');
    await terminal.answer('A code has 3 to 64 of the characters a-z, 0-9 and -', '');
    await terminal.answer('Code (', `${code}\r`);
    await terminal.answer('Authentication mode (PASSWORD, OTP)', '\r');
    await terminal.answer('Channel proof (NONE, EMAIL, SMS)', 'pigeon\r');
    await terminal.answer('It must be one of NONE, EMAIL, SMS', '');
    await terminal.answer('Channel proof (', 'email\r');
    expect(await terminal.exitCode).toBe(0);
    expect(terminal.text).not.toContain('Name [');

    const { stdout } = await app.cli('touchpoint', 'show', code, '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ name: 'Given name', authenticationMode: 'PASSWORD', channelProof: 'EMAIL', rateLimit: '7/60' },
    });
    const [, key = ''] = /^TOUCHPOINT_KEY=(\S+)$/m.exec(terminal.text) ?? [];
    expect(terminal.text).toContain(`\nTOUCHPOINT_CODE=${code}\nTOUCHPOINT_KEY=${key}\n`);
    const [curl = ''] = /^curl .*$/m.exec(terminal.text) ?? [];
    expect((await promisify(execFile)('sh', ['-c', curl])).stdout).toMatch(/^HTTP\/1.1 200 /);
  });

  it('proposes defaults, and takes answers that were typed ahead', async () => {
    const code = `ahead-${randomUUID()}`;
    const terminal = at('cli touchpoint create');
    await terminal.answer('Code (', `${code}\r\rOTP\r\r`);
    expect(await terminal.exitCode).toBe(0);
    for (const proposed of [`Name [${code}]: `, '(PASSWORD, OTP) [PASSWORD]: ', '(NONE, EMAIL, SMS) [NONE]: ']) {
      expect(terminal.text).toContain(proposed);
    }
    const { stdout } = await app.cli('touchpoint', 'show', code, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ name: code, authenticationMode: 'OTP', channelProof: 'NONE' });
  });

  it('refuses a wrong option before it asks anything', async () => {
    const terminal = at('cli touchpoint create --channel-proof PIGEON');
    expect(await terminal.exitCode).toBe(1);
    expect(terminal.text).toBe('--channel-proof must be one of NONE, EMAIL, SMS\n');
  });

  it.each([
    ['the first question', []],
    ['a later question', [['Code (', `left-${randomUUID()}\r`]]],
  ] as const)('leaves nothing behind when Ctrl-C answers %s, and ends with 130', async (_, answers) => {
    const before = await codes();
    const terminal = at('cli touchpoint create; echo "ended with $?"; stty -a');
    for (const [question, typed] of answers) await terminal.answer(question, typed);
    await terminal.answer(answers.length === 0 ? 'Code (' : 'Name', CTRL_C);
    await terminal.exitCode;
    expect(terminal.text).toContain('\nNothing was done\nended with 130\n');
    // Whatever is typed next is read by lines again, and shown.
    expect(terminal.text).toMatch(/ icanon\b/);
    expect(terminal.text).toMatch(/ echo\b/);
    expect(await codes()).toEqual(before);
  });

  it.each([
    ['cli touchpoint create --json', '{"error":"required option \'--code <code>\' not specified"}\n'],
    ['cli touchpoint create | cat', "required option '--code <code>' not specified\n"],
    ['cli touchpoint create < /dev/null', "required option '--code <code>' not specified\n"],
    ['cli consumer erase nobody | cat', 'Nothing was erased: erasing cannot be undone, and needs --yes\n'],
  ])('asks nothing where nobody could answer: `%s`', async (line, told) => {
    const terminal = at(line);
    await terminal.exitCode;
    expect(terminal.text.replace('See touchpoint create --help\n', '')).toBe(told);
  });

  it('erases a consumer when the customer id is typed, and only then', async () => {
    const client = await app.client();
    const { customerId, token, email } = await register(client);
    const status = async () => (await client.as(token).get('/api/v1/me')).status;

    const mistaken = at(`cli consumer erase ${email}`);
    await mistaken.answer('Type the customer id to erase', `${email}\r`);
    expect(await mistaken.exitCode).toBe(1);
    expect(mistaken.text).toMatch(/\nNothing was erased: this is not the customer id\n$/);
    const left = at(`cli consumer erase ${customerId}; echo "ended with $?"`);
    await left.answer('Type the customer id to erase', CTRL_C);
    await left.exitCode;
    expect(left.text).toMatch(/\nNothing was done\nended with 130\n$/);
    expect(await status()).toBe(200);

    const sure = at(`cli consumer erase ${email}`);
    await sure.answer('Type the customer id to erase', `${customerId}\r`);
    expect(await sure.exitCode).toBe(0);
    expect(sure.text).toContain(`, ${email}, customer id ${customerId}\n`);
    expect(await status()).toBe(401);
  });
});
