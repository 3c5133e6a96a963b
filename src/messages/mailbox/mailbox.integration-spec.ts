import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CODE, codeFor, enqueue, isEmpty } from '../../../test/support/in-process/queued-messages';
import { TestApp } from '../../../test/support/in-process/test-app';
import { runCli } from '../../../test/support/service/command-line/cli';
import { until } from '../../../test/support/until';
import { AppConfig } from '../../platform/settings/config';

describe('the development mailbox', () => {
  let app: TestApp;
  let directory: string;

  beforeAll(async () => {
    app = await TestApp.start();
    directory = join(app.nest.get(AppConfig).dataDir, 'mailbox');
  });
  afterAll(() => app.close());

  it('holds a file for each message, for its owner alone', async () => {
    await enqueue(app, codeFor('ada@example.com'), codeFor('+4915112345678'));
    await until(isEmpty(app));
    const names = await readdir(directory);
    expect(names.map((name) => name.replace(/.*\./, '')).sort()).toEqual(['eml', 'json']);
    for (const name of names) expect((await stat(join(directory, name))).mode & 0o777).toBe(0o600);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    const mail = await readFile(join(directory, names.find((name) => name.endsWith('.eml')) ?? ''), 'utf8');
    expect(mail.match(/(?<![\w-])[0-9]{6,}(?![\w-])/g)).toEqual([CODE, CODE]);
  });

  it('is listed with its codes on the command line', async () => {
    await enqueue(app, codeFor('grace@example.com', { locale: 'es', code: '000117' }));
    await until(isEmpty(app));
    const env = { ...app.env, ...(process.env.TEST_DATABASE_URL !== undefined && { DATABASE_URL: app.databaseUrl }) };
    const { stdout } = await runCli(env, 'message', 'list', '--to', 'Grace@example.com', '--json');
    expect(JSON.parse(stdout)).toEqual([
      {
        id: expect.any(String) as string,
        kind: 'verification-code',
        channel: 'email',
        to: 'grace@example.com',
        locale: 'es',
        state: 'delivered',
        attempts: 1,
        createdAt: expect.stringMatching(/^2.*Z$/) as string,
        nextAttemptAt: null,
        reason: null,
        code: '000117',
      },
    ]);
  });

  it('is listed as empty where no service has ever run', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'mailbox-'));
    const { stdout } = await runCli({ DATA_DIR: dataDir }, 'message', 'list', '--json');
    expect(JSON.parse(stdout)).toEqual([]);
    await rm(dataDir, { recursive: true });
  });
});
