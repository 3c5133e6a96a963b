import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceProcess } from '../../support/service/service-process';

const HOOK = join(__dirname, '../../fixtures/tracing-hook.cjs');

describe('a tracing hook that is loaded before the service', () => {
  let dataDir: string;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'tracing-'));
  });
  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  it('sees its requests and statements, and leaves it as it is', async () => {
    const service = await ServiceProcess.start({ DATA_DIR: dataDir, NODE_OPTIONS: `--require ${HOOK}` });
    expect((await fetch(`${service.baseUrl}/health/ready`)).status).toBe(200);
    expect(await service.kill('SIGTERM')).toBe(0);
    const seen = JSON.parse(service.output.join('').trim().split('\n').at(-1) ?? '') as string[];
    expect(seen).toEqual(
      expect.arrayContaining(['request /health/ready', 'statement SELECT FROM migration WHERE false FOR SHARE']),
    );
  });
});
