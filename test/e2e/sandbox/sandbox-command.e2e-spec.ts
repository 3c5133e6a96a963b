import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ApiClient } from '../../support/api/api-client';
import { register } from '../../support/api/consumers';
import { blocksIn } from '../../support/guides/guide-pages';
import { freePort } from '../../support/service/free-port';
import { Services } from '../../support/service/services';
import { until } from '../../support/until';

const ROOT = join(__dirname, '../../..');
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: { sandbox: string } };
const [{ code: CURL } = { code: '' }, ...OTHERS] = blocksIn('docs/integrate/sandbox.md', 'sh');
/** The program is built already, and other tests use it. */
const BUILD = 'npm run --silent build && ';

describe('npm run sandbox', () => {
  let dataDir: string;
  let service: ChildProcess;
  let output = '';
  let baseUrl: string;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'sandbox-'));
    const port = await freePort();
    baseUrl = `http://127.0.0.1:${port}`;
    expect(scripts.sandbox.startsWith(BUILD)).toBe(true);
    const command = scripts.sandbox.slice(BUILD.length).replace(' node ', ' exec node ');
    const env = {
      PATH: process.env.PATH,
      PORT: String(port),
      DATA_DIR: dataDir,
      CONSOLE_PORT: String(await freePort()),
    };
    service = spawn('bash', ['-c', command], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'] });
    Services.ofFile.keepPrinted(command, () => output);
    service.stdout?.on('data', (text: Buffer) => (output += text.toString()));
    await until(() => output.includes('/docs'));
  });
  afterAll(async () => {
    service.kill('SIGTERM');
    await once(service, 'exit');
    await rm(dataDir, { recursive: true });
  });

  it('starts a sandbox on this machine, with the key of a touchpoint, and the guide’s call reads its messages', async () => {
    const [, key = ''] = /TOUCHPOINT_KEY=(tpk_test_\S+)/.exec(output) ?? [];
    const client = new ApiClient(baseUrl, { 'X-Touchpoint-Code': 'demo', 'X-Touchpoint-Key': key });
    const { token } = await register(client, { email: 'ada@shop.test' });
    await client.as(token).post('/api/v1/verifications/email/request');
    expect(OTHERS).toEqual([]);
    const read = async () => {
      const env = { PATH: process.env.PATH, API: baseUrl, TOUCHPOINT_CODE: 'demo', TOUCHPOINT_KEY: key };
      const { stdout } = await promisify(execFile)('bash', ['-c', CURL], { env });
      return JSON.parse(stdout) as { to: string; code: string }[];
    };
    await until(async () => (await read()).length === 1);
    expect(await read()).toMatchObject([{ to: 'ada@shop.test', code: '424242' }]);
  });

  it('names the command that invites to its own console, not to that of another service here', () => {
    expect(output).toContain(`SANDBOX=true DATA_DIR=${dataDir} npm run --silent cli -- operator invite admin`);
  });
});
