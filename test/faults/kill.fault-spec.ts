import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from '../support/api-client';
import { newPerson, PASSWORD } from '../support/consumers';
import { ServiceProcess } from '../support/service-process';

const ROUNDS = 10;
const CLIENTS = 8;
const REGISTER = '/api/v1/register';

interface KeyedRegistration {
  key: string;
  person: object;
}

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

  it('loses no registration that was answered 201, and leaves no half of one that was not', async () => {
    const acknowledged: string[] = [];
    const unanswered: KeyedRegistration[] = [];
    let key = '';
    const clientOf = ({ baseUrl }: ServiceProcess) =>
      new ApiClient(baseUrl, { 'X-Touchpoint-Code': 'demo', 'X-Touchpoint-Key': key });

    for (let round = 0; round < ROUNDS; round += 1) {
      const service = await ServiceProcess.start(settings());
      key ||= await demoKey(service);
      const registering = Array.from({ length: CLIENTS }, () =>
        registerUntilGone(clientOf(service), acknowledged, unanswered),
      );
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
    // A registration that was committed is replayed, one that was not begins or waits for its lease to end.
    const retried: Record<string, number> = {};
    for (const { key, person } of unanswered) {
      const retrying = clientOf(service).with({ 'Idempotency-Key': key });
      const { status, headers, body } = await retrying.post<{ code?: string }>(REGISTER, person);
      const outcome = body.code ?? `${status}${headers.has('Idempotency-Replayed') ? ' replayed' : ''}`;
      retried[outcome] = (retried[outcome] ?? 0) + 1;
    }
    await service.kill('SIGTERM');
    process.stderr.write(
      `${ROUNDS} kills: ${acknowledged.length} registrations acknowledged, ${lost.length} lost; ` +
        `retries of those without an answer: ${JSON.stringify(retried)}\n`,
    );
    expect(acknowledged.length).toBeGreaterThan(ROUNDS);
    expect(lost).toEqual([]);
    expect(unanswered.length).toBeGreaterThan(0);
    expect(['201', '201 replayed', 'REQUEST_IN_PROGRESS']).toEqual(expect.arrayContaining(Object.keys(retried)));
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

async function registerUntilGone(
  client: ApiClient,
  acknowledged: string[],
  unanswered: KeyedRegistration[],
): Promise<void> {
  for (;;) {
    const person = newPerson();
    const key = person.email;
    try {
      const { status } = await client.with({ 'Idempotency-Key': key }).post(REGISTER, person);
      if (status === 201) acknowledged.push(person.email);
    } catch {
      unanswered.push({ key, person });
      return;
    }
  }
}
