import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../../support/service/command-line/cli';
import { ServiceProcess } from '../../support/service/service-process';

describe('in production', () => {
  let directory: string;
  let env: Record<string, string>;

  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'consumer-service-production-'));
    env = {
      ...{ NODE_ENV: 'production', APP_SECRET: 's'.repeat(32), DATA_DIR: join(directory, 'data') },
      ...{ JWT_KEYS_FILE: join(directory, 'jwt-keys.json'), LOG_LEVEL: 'error' },
    };
  });
  afterAll(() => {
    rmSync(directory, { recursive: true });
  });

  const COMPLAINT = 'DATABASE_URL: is required with NODE_ENV=production: a postgres:// address, or embedded\n';

  it.each<Record<string, string>>([{}, { DATABASE_URL: '' }])(
    'neither the service nor the command line starts an empty database with %j',
    async (settings) => {
      expect(await runCli({ ...env, ...settings }, 'touchpoint', 'list')).toMatchObject({
        exitCode: 1,
        stdout: '',
        stderr: expect.stringContaining(COMPLAINT) as string,
      });
      const service = await ServiceProcess.launch({ ...env, ...settings });
      expect(await service.end()).toBe(1);
      expect(service.output.join('')).toContain(COMPLAINT);
      expect(existsSync(env.DATA_DIR ?? '')).toBe(false);
    },
  );

  it('both run on the embedded database when it is named', async () => {
    const named = { ...env, DATABASE_URL: 'embedded' };
    expect(await runCli(named, 'keys', 'generate')).toMatchObject({ exitCode: 0 });
    expect(await runCli(named, 'touchpoint', 'list', '--json')).toMatchObject({ exitCode: 0, stdout: '[]\n' });
    expect(readdirSync(env.DATA_DIR ?? '')).toContain('database');
    const service = await ServiceProcess.start(named);
    expect((await fetch(`${service.baseUrl}/health/ready`)).status).toBe(200);
    await service.kill('SIGTERM');
  });
});
