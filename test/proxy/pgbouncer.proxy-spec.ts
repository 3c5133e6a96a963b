import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newPerson, PASSWORD, type SessionBody } from '../support/api/consumers';
import { PgBouncer } from '../support/proxy/pgbouncer';
import { CreatedTouchpoint, ServiceProcess } from '../support/service/service-process';
import { createTestDatabase } from '../support/service/database/test-database';

const CONSUMERS = 40;
const AT_ONCE = 8;
const READS = 10;

/** Runs the tasks, a few at a time. */
async function inParallel<T, R>(items: T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const left = items.entries();
  const results: R[] = [];
  const worker = async () => {
    for (const [index, item] of left) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}

describe('two replicas behind PgBouncer, which changes their connections after every transaction', () => {
  const started: (() => unknown)[] = [];
  let services: ServiceProcess[];
  let touchpoint: CreatedTouchpoint;

  beforeAll(async () => {
    const server = process.env.TEST_DATABASE_URL;
    if (server === undefined) throw new Error('PgBouncer needs PostgreSQL: set TEST_DATABASE_URL');
    const database = await createTestDatabase(server);
    started.unshift(() => database.drop());
    const bouncer = await PgBouncer.start(database.url, 3);
    started.unshift(() => bouncer.stop());
    const dataDir = mkdtempSync(join(tmpdir(), 'replicas-'));
    started.unshift(() => {
      rmSync(dataDir, { recursive: true });
    });
    const env = { DATABASE_URL: bouncer.url, DATA_DIR: dataDir, BCRYPT_COST: '4', RATE_LIMIT_BURST: '0' };
    services = await Promise.all([ServiceProcess.start(env), ServiceProcess.start(env)]);
    for (const service of services) started.unshift(() => service.kill('SIGTERM'));
    touchpoint = CreatedTouchpoint.create(env, 'bouncer');
  });
  afterAll(async () => {
    for (const stop of started) await stop();
  });

  it('answer every request as they do without it, and log no fault', async () => {
    const clients = services.map((service) => touchpoint.clientOf(service));
    const statuses = await inParallel(
      Array.from({ length: CONSUMERS }, (_, index) => index),
      async (index) => {
        const [client, other] = index % 2 === 0 ? clients : clients.toReversed();
        if (!client || !other) throw new Error('There are two replicas');
        const { email, ...person } = newPerson();
        const registered = await client.post<SessionBody>('/api/v1/register', { ...person, email });
        const login = await other.post<SessionBody>('/api/v1/login', { identifier: email, password: PASSWORD });
        const me = client.as(login.body.token);
        const reads = await Promise.all(Array.from({ length: READS }, () => me.get('/api/v1/me')));
        const changed = await me.patch('/api/v1/me', { locale: 'de' });
        const ended = await other.as(login.body.token).post('/api/v1/logout');
        const after = await me.get('/api/v1/me');
        return [registered, login, ...reads, changed, ended, after].map(({ status }) => status);
      },
    );
    expect(statuses).toEqual(Array(CONSUMERS).fill([201, 200, ...Array<number>(READS).fill(200), 200, 204, 401]));
    expect(services.flatMap(({ faultsLogged }) => faultsLogged)).toEqual([]);
  });
});
