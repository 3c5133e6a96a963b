import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from '../support/api-client';
import { newPerson, PASSWORD } from '../support/consumers';
import { ServiceProcess } from '../support/service-process';

const ROUNDS = 10;
const CLIENTS = 8;

describe('kill -9 on the embedded database', () => {
  let dataDir: string;
  const settings = () => ({
    DATA_DIR: dataDir,
    BCRYPT_COST: '4',
    HASH_QUEUE_LIMIT: '1000',
    RATE_LIMIT_BURST: '0',
    RATE_LIMIT_SUSTAINED: '0',
  });

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'kill-'));
  });
  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  it('loses no registration that was answered 201', async () => {
    const acknowledged: string[] = [];
    let key = '';
    const clientOf = ({ baseUrl }: ServiceProcess) =>
      new ApiClient(baseUrl, { 'X-Touchpoint-Code': 'demo', 'X-Touchpoint-Key': key });

    for (let round = 0; round < ROUNDS; round += 1) {
      const service = await ServiceProcess.start(settings());
      key ||= await demoKey(service);
      const registering = Array.from({ length: CLIENTS }, () => registerUntilGone(clientOf(service), acknowledged));
      await sleep(200 + 100 * round);
      await service.kill('SIGKILL');
      await Promise.all(registering);
    }

    const service = await ServiceProcess.start(settings());
    const lost: string[] = [];
    for (const email of acknowledged) {
      const { status } = await clientOf(service).post('/api/v1/login', { identifier: email, password: PASSWORD });
      if (status !== 200) lost.push(email);
    }
    await service.kill('SIGTERM');
    process.stderr.write(`${ROUNDS} kills: ${acknowledged.length} registrations acknowledged, ${lost.length} lost\n`);
    expect(acknowledged.length).toBeGreaterThan(ROUNDS);
    expect(lost).toEqual([]);
  }, 180_000);
});

async function demoKey(service: ServiceProcess): Promise<string> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const [, key] = /TOUCHPOINT_KEY=(\S+)/.exec(service.output.join('')) ?? [];
    if (key !== undefined) return key;
    await sleep(20);
  }
  throw new Error('The first start printed no key');
}

async function registerUntilGone(client: ApiClient, acknowledged: string[]): Promise<void> {
  for (;;) {
    const person = newPerson();
    try {
      const { status } = await client.post('/api/v1/register', person);
      if (status === 201) acknowledged.push(person.email);
    } catch {
      return;
    }
  }
}
