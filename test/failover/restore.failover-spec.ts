import { PatroniCluster } from '../support/failover/patroni-cluster';
import { until } from '../support/until';

describe('a cluster of Patroni that is restored to a moment', () => {
  let cluster: PatroniCluster;

  beforeAll(async () => {
    cluster = await PatroniCluster.start();
  }, 300_000);
  afterAll(() => cluster.dispose());

  const names = async () => {
    // HAProxy looks for the primary every half a second.
    await until(() =>
      cluster.query('SELECT 1').then(
        () => true,
        () => false,
      ),
    );
    return (await cluster.query<{ name: string }>('SELECT name FROM registered ORDER BY name')).map(({ name }) => name);
  };

  it('has what was written before it and nothing of what came after, on both servers', async () => {
    const { primary, standby } = await cluster.roles();
    await cluster.query('CREATE TABLE registered (name text)');
    await cluster.query(`INSERT INTO registered VALUES ('copied')`);
    primary.files.backUp();
    await cluster.query(`INSERT INTO registered VALUES ('kept')`);
    const [{ moment } = { moment: '' }] = await cluster.query<{ moment: string }>(
      'SELECT clock_timestamp()::text AS moment',
    );
    await cluster.query(`INSERT INTO registered VALUES ('later')`);
    expect(await cluster.missingInArchive()).toEqual([]);

    // As docs/operate/backup.md has it.
    await standby.stop();
    await primary.stop();
    await primary.files.restoreTo(moment);
    standby.files.delete();
    primary.forgetCluster();
    primary.start();
    await cluster.waitUntilLedBy(primary);
    standby.start();
    await cluster.waitUntilWhole();
    expect(await names()).toEqual(['copied', 'kept']);

    await primary.switchOverTo(standby);
    await cluster.waitUntilLedBy(standby);
    expect(await names()).toEqual(['copied', 'kept']);
  }, 300_000);
});
