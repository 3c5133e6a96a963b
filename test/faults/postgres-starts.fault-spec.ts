import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { FaultLoad } from '../support/faults/load';
import { reportFault, seenBy } from '../support/faults/report';
import { ServiceOnCluster } from '../support/faults/service-on-cluster';
import { brokenRows, lostAcknowledgements } from '../support/faults/invariants';
import { CreatedTouchpoint, ServiceProcess } from '../support/service/service-process';

const CLIENTS = 8;
const FILES = 64;

describe('a service on PostgreSQL that starts', () => {
  let on: ServiceOnCluster;

  beforeAll(async () => {
    on = await ServiceOnCluster.start();
  }, 120_000);
  afterAll(() => on.dispose());

  it('with few files to open outlives more connections than that', async () => {
    // The embedded database has more files than that itself.
    const limited = await ServiceProcess.start(on.env, { limit: `ulimit -n ${FILES}` });
    try {
      const { hostname, port } = new URL(limited.baseUrl);
      const sockets = Array.from({ length: FILES * 2 }, () => connect(Number(port), hostname));
      for (const socket of sockets) socket.on('error', () => undefined);
      await Promise.all(sockets.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')])));
      await sleep(1_000);
      for (const socket of sockets) socket.destroy();
      const recoveryMs = await limited.waitUntilReady();
      const client = on.touchpoint.clientOf(limited);
      const load = new FaultLoad(CLIENTS, () => client);
      await load.flows(CLIENTS * 3);
      await load.stop();
      const lost = await lostAcknowledgements(client, load.accounts);
      reportFault(`${FILES * 2} connections with ${FILES} files`, { ...seenBy(load), lost: lost.length, recoveryMs });
      expect([lost, load.unexpected, limited.faultsLogged]).toEqual([[], [], []]);
      expect(load.accounts.length).toBeGreaterThan(0);
    } finally {
      await limited.kill('SIGTERM');
    }
  }, 120_000);

  it('as one of two at once on an empty database loses nothing', async () => {
    const url = await on.cluster.createDatabase('empty');
    const start = () => ServiceProcess.start({ ...on.env, DATABASE_URL: url });
    const [one, other] = await Promise.all([start(), start()]);
    const own = CreatedTouchpoint.create({ ...on.env, DATABASE_URL: url }, 'shop');
    let turn = 0;
    const load = new FaultLoad(CLIENTS, () => own.clientOf((turn += 1) % 2 === 0 ? one : other));
    await load.flows(CLIENTS * 4);
    await load.stop();
    const lost = await lostAcknowledgements(own.clientOf(one), load.accounts);
    const broken = await brokenRows(url);
    reportFault('two replicas started at once', { ...seenBy(load), lost: lost.length, recoveryMs: 0 });
    for (const replica of [one, other]) expect(await replica.kill('SIGTERM')).toBe(0);
    expect([load.unexpected, lost, broken, load.refused]).toEqual([[], [], [], 0]);
  }, 120_000);
});
