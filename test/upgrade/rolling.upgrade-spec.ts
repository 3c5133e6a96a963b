import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiClient } from '../support/api/api-client';
import { newPerson, register } from '../support/api/consumers';
import { brokenRows, lostAcknowledgements } from '../support/faults/invariants';
import { type Account, FaultLoad } from '../support/faults/load';
import { PostgresCluster } from '../support/faults/postgres-cluster';
import { Table } from '../support/faults/report';
import type { CreatedTouchpoint } from '../support/service/service-process';
import { ReleasedProgram } from '../support/upgrade/released-program';
import { RollingReplicas } from '../support/upgrade/rolling-replicas';

/** The commit of release 0.1.0. */
const FIRST = 'f7c98d0921bdb35afbbccec00e349bc936b6130d';
/** The last version that this one may run beside: no release, because 0.1.0 must be stopped first. */
const BEFORE = 'a8985c08bd5d96b31ffe641680a04e3a1e337f03';

const REPLICAS = 2;
const CLIENTS = 4;
/** Registered by the first release. */
const FIRST_CONSUMERS = 40;
/** In requests, before and after each step. */
const SOME = 300;

const table = new Table([
  ['step', 52],
  ['sent', 7],
  ['acknowledged', 13],
  ['failed', 7],
  ['lost', 5],
]);

describe('an upgrade', () => {
  const here = ReleasedProgram.here;
  let cluster: PostgresCluster;
  let env: Record<string, string>;
  let first: ReleasedProgram;
  let before: ReleasedProgram;
  let touchpoint: CreatedTouchpoint;
  let replicas: RollingReplicas;
  const accounts: Account[] = [];

  beforeAll(async () => {
    cluster = await PostgresCluster.start();
    env = {
      ...{ DATA_DIR: await mkdtemp(join(tmpdir(), 'upgrade-')), DATABASE_URL: cluster.url },
      ...{ BCRYPT_COST: '4', HASH_QUEUE_LIMIT: '1000', RATE_LIMIT_BURST: '0', RATE_LIMIT_SUSTAINED: '0' },
    };
    first = ReleasedProgram.build(FIRST);
    before = ReleasedProgram.build(BEFORE);
    touchpoint = first.createTouchpoint(env, 'shop');
    replicas = new RollingReplicas(env);
  }, 900_000);
  afterAll(async () => {
    await replicas.stop();
    await cluster.dispose();
    first.dispose();
    before.dispose();
    await rm(env.DATA_DIR ?? '', { recursive: true });
  });

  /** Registers consumers, of whom some log out. */
  const fill = async (client: ApiClient) => {
    for (let number = 0; number < FIRST_CONSUMERS; number += 1) {
      const { email, customerId, token } = await register(client);
      const loggedOut = number % 4 === 0;
      if (loggedOut) await client.as(token).post('/api/v1/logout');
      accounts.push({ email, customerId, token, loggedOut, firstNames: [newPerson().firstName] });
    }
  };

  /** Does something while clients register, read, change, log in and out: no request may fail, then or before. */
  const isUnnoticed = async (step: string, act: () => Promise<void>) => {
    const load = new FaultLoad(CLIENTS, () => touchpoint.clientOf(replicas.next()));
    const acknowledged: number[] = [];
    try {
      await load.flows(SOME);
      acknowledged.push(load.acknowledged);
      await act();
      acknowledged.push(load.acknowledged);
      await load.flows(SOME);
    } finally {
      await load.stop();
    }
    const [before = 0, after = 0] = acknowledged;
    const { sent, refused, unanswered, unexpected } = load;
    accounts.push(...load.accounts);
    const lost = await lostAcknowledgements(touchpoint.clientOf(replicas.next()), accounts);
    table.print(step, sent, load.acknowledged, refused + unanswered + unexpected.length, lost.length);
    expect({ refused, unanswered, unexpected, lost }).toEqual({ refused: 0, unanswered: 0, unexpected: [], lost: [] });
    // It ran meanwhile.
    expect(after - before).toBeGreaterThan(CLIENTS);
    expect(await brokenRows(cluster.url)).toEqual([]);
    expect(replicas.complaints).toEqual([]);
  };

  it('keeps everything since the first release, and fails no request, not even one step back', async () => {
    const service = await first.start(env);
    await fill(touchpoint.clientOf(service));
    await service.kill('SIGTERM');

    await replicas.add(before, REPLICAS);
    await isUnnoticed('the database is migrated', () => here.migrate(env));
    await isUnnoticed('the replicas are replaced', () => replicas.replaceBy(here));
    await isUnnoticed('the replicas go back to the version before', () => replicas.replaceBy(before));
    await isUnnoticed('the replicas are replaced once more', () => replicas.replaceBy(here));
  }, 900_000);
});
