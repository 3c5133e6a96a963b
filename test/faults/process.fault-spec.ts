import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { statfsSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { newPerson, PASSWORD, register, type SessionBody } from '../support/api/consumers';
import { FaultLoad } from '../support/faults/load';
import { reportFault, seenBy } from '../support/faults/report';
import { brokenRows, embeddedUrl, lostAcknowledgements } from '../support/faults/invariants';
import { RawConnection } from '../support/http/raw-connection';
import { CreatedTouchpoint, ServiceProcess } from '../support/service/service-process';

const CLIENTS = 4;
const REQUESTS_IN_FLIGHT = 50;
const GRACE_SECONDS = 30;
const DISK_MIB = 128;
const LEFT_MIB = 4;
const TWO_HOURS = 7_200;
/** When a connection would be ended on which no request comes. */
const HEADERS_MS = 10_000;

describe('the service on the embedded database', () => {
  let dataDir: string;
  let env: Record<string, string>;

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'process-'));
    env = {
      ...{ DATA_DIR: dataDir, BCRYPT_COST: '4', HASH_QUEUE_LIMIT: '1000' },
      ...{ RATE_LIMIT_BURST: '0', RATE_LIMIT_SUSTAINED: '0', SHUTDOWN_GRACE_SECONDS: String(GRACE_SECONDS) },
    };
  });
  afterEach(() => rm(dataDir, { recursive: true, force: true }));

  const check = async (what: string, { load, touchpoint, service, recoveryMs }: Checked): Promise<void> => {
    const lost = await lostAcknowledgements(touchpoint.clientOf(service), load.accounts);
    const broken = await brokenRows(embeddedUrl(dataDir));
    reportFault(what, { ...seenBy(load), lost: lost.length, recoveryMs });
    expect([load.unexpected, service.faultsLogged]).toEqual([[], []]);
    expect([lost, broken]).toEqual([[], []]);
    expect(load.accounts.length).toBeGreaterThan(0);
  };

  it('ends when the disk is full, and has everything that was acknowledged when there is room again', async () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m`, 'tmpfs', dataDir]);
    try {
      const touchpoint = CreatedTouchpoint.create(env, 'shop');
      let service = await ServiceProcess.start(env);
      const load = new FaultLoad(CLIENTS, () => touchpoint.clientOf(service));
      await load.flows(CLIENTS * 3);
      const { bavail, bsize } = statfsSync(dataDir);
      const ballast = join(dataDir, 'ballast');
      await writeFile(ballast, Buffer.alloc(bavail * bsize - LEFT_MIB * 2 ** 20));
      const filler = new Client({ host: join(dataDir, 'socket'), user: 'postgres', database: 'postgres' });
      filler.on('error', () => undefined);
      await filler.connect();
      const filling = filler
        .query(`CREATE TABLE filler AS SELECT repeat(i::text, 500) AS text FROM generate_series(1, 100000) AS i`)
        .catch(() => undefined);
      expect(await service.end()).toBe(1);
      await filling;
      await rm(ballast);
      const endedAt = performance.now();
      service = await ServiceProcess.start(env);
      const recoveryMs = performance.now() - endedAt;
      await load.flows(CLIENTS * 3);
      await load.stop();
      await check('disk full', { load, touchpoint, service, recoveryMs });
      expect(await service.kill('SIGTERM')).toBe(0);
    } finally {
      execFileSync('umount', ['--lazy', dataDir]);
    }
  }, 180_000);

  it('answers every request that it has accepted when it is told to stop', async () => {
    const slow = { ...env, BCRYPT_COST: '9' };
    const touchpoint = CreatedTouchpoint.create(slow, 'shop');
    const service = await ServiceProcess.start(slow);
    const client = touchpoint.clientOf(service);
    const statuses: number[] = [];
    const requests = Array.from({ length: REQUESTS_IN_FLIGHT }, async () => {
      statuses.push((await client.post('/api/v1/register', newPerson())).status);
    });
    while (statuses.length < 3) await sleep(5);
    const stoppedAt = performance.now();
    const exitCode = await service.kill('SIGTERM');
    const recoveryMs = performance.now() - stoppedAt;
    await Promise.all(requests);
    const acknowledged = statuses.filter((status) => status === 201).length;
    const lost = REQUESTS_IN_FLIGHT - acknowledged;
    reportFault('SIGTERM with 50 requests in flight', {
      ...{ sent: REQUESTS_IN_FLIGHT, acknowledged, refused: 0, lost, recoveryMs },
    });
    expect([lost, exitCode]).toEqual([0, 0]);
    expect(recoveryMs).toBeLessThan(GRACE_SECONDS * 1000);
  }, 120_000);

  it('still answers on the connections it has when it is told to stop, and waits for none that is not used', async () => {
    const service = await ServiceProcess.start(env);
    const { host, hostname, port } = new URL(service.baseUrl);
    const kept = new RawConnection(service.baseUrl);
    const unused = connect(Number(port), hostname).resume();
    const request = Buffer.from(`GET /health/live HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    const before = await kept.exchange(request);
    const stoppedAt = performance.now();
    const stopped = service.kill('SIGTERM');
    while (await canConnect(hostname, Number(port))) await sleep(5);
    const after = await kept.exchange(request);
    expect([before.status, after.status, after.headers.connection]).toEqual([200, 200, 'close']);
    expect(await stopped).toBe(0);
    expect(performance.now() - stoppedAt).toBeLessThan(HEADERS_MS);
    unused.destroy();
  }, 60_000);

  it('is not disturbed by a second process on its DATA_DIR, which ends and says why', async () => {
    const touchpoint = CreatedTouchpoint.create(env, 'shop');
    const service = await ServiceProcess.start(env);
    const load = new FaultLoad(CLIENTS, () => touchpoint.clientOf(service));
    const second = await ServiceProcess.launch(env);
    expect(await second.end()).toBe(1);
    expect(second.output.join('')).toMatch(/DATA_DIR \S+ is in use by process \d+/);
    await load.flows(CLIENTS * 3);
    await load.stop();
    await check('a second process on the same DATA_DIR', { load, touchpoint, service, recoveryMs: 0 });
    expect([load.refused, load.unanswered]).toEqual([0, 0]);
    await service.kill('SIGTERM');
  }, 120_000);

  it('goes on when the clock jumps, and believes no token that has expired by it', async () => {
    const hook = join(__dirname, '../fixtures/clock-hook.cjs');
    const touchpoint = CreatedTouchpoint.create(env, 'shop');
    const service = await ServiceProcess.start({
      ...env,
      NODE_OPTIONS: `--require ${hook}`,
      CLOCK_JUMPS: `${TWO_HOURS},${-2 * TWO_HOURS}`,
    });
    const client = touchpoint.clientOf(service);
    const load = new FaultLoad(CLIENTS, () => client);
    await load.flows(CLIENTS * 2);
    await load.stop();
    const { email, token } = await register(client);
    const me = async (bearer: string) => (await client.as(bearer).get('/api/v1/me')).status;
    expect(await me(token)).toBe(200);
    service.signal('SIGUSR2');
    while ((await me(token)) === 200) await sleep(5);
    expect(await me(token)).toBe(401);
    const login = await client.post<SessionBody>('/api/v1/login', { identifier: email, password: PASSWORD });
    expect([login.status, await me(login.body.token)]).toEqual([200, 200]);

    service.signal('SIGUSR2');
    const rewound = new FaultLoad(CLIENTS, () => client);
    await rewound.flows(CLIENTS * 2);
    await rewound.stop();
    expect(rewound.unexpected).toEqual([]);
    for (const account of load.accounts) account.loggedOut = null;
    load.accounts.push(...rewound.accounts);
    await check('clock two hours ahead, then two behind', { load, touchpoint, service, recoveryMs: 0 });
    await service.kill('SIGTERM');
  }, 120_000);
});

interface Checked {
  load: FaultLoad;
  touchpoint: CreatedTouchpoint;
  service: ServiceProcess;
  recoveryMs: number;
}

const canConnect = (hostname: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, hostname);
    socket.once('connect', () => socket.destroy());
    socket.once('error', () => undefined);
    socket.once('close', (hadError) => {
      resolve(!hadError);
    });
  });
