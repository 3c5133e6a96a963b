import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { register } from '../support/api/consumers';
import { Certificates } from '../support/faults/certificates';
import { PostgresCluster } from '../support/faults/postgres-cluster';
import { RedisGroup } from '../support/faults/redis-group';
import { RedisProcess } from '../support/faults/redis-process';
import { freePort } from '../support/service/free-port';
import { CreatedTouchpoint, ServiceProcess } from '../support/service/service-process';
import { until } from '../support/until';

/** The certificates are for this name, so not for 127.0.0.1. */
const NAME = 'localhost';

describe('a service that reaches PostgreSQL and Redis by TLS', () => {
  let certificates: Certificates;
  let cluster: PostgresCluster;
  let redis: RedisProcess;
  let tlsPort: number;
  let env: Record<string, string>;

  beforeAll(async () => {
    certificates = new Certificates(NAME);
    tlsPort = await freePort();
    redis = await RedisProcess.start({ tls: { port: tlsPort, certificates } });
    certificates.giveTo('postgres');
    const ssl = { ssl: 'on', ssl_cert_file: certificates.certificate, ssl_key_file: certificates.key };
    cluster = await PostgresCluster.start(ssl);
    env = {
      ...{ DATA_DIR: await mkdtemp(join(tmpdir(), 'tls-')), BCRYPT_COST: '4' },
      ...{ NODE_EXTRA_CA_CERTS: certificates.authority, DATABASE_URL: databaseUrl(NAME), REDIS_URL: redisUrl(NAME) },
    };
  }, 180_000);
  afterAll(async () => {
    await Promise.all([cluster.dispose(), redis.end()]);
    certificates.dispose();
    await rm(env.DATA_DIR ?? '', { recursive: true });
  });

  const databaseUrl = (host: string) => `postgres://postgres@${host}:${cluster.port}/postgres?sslmode=verify-full`;
  const redisUrl = (host: string) => `rediss://${host}:${tlsPort}`;

  it('is encrypted to both, and counts in that Redis', async () => {
    const touchpoint = CreatedTouchpoint.create(env, 'shop', '--rate-limit', '1000/60');
    const service = await ServiceProcess.start(env);
    await register(touchpoint.clientOf(service));
    await until(async () => (await service.health()) === 'ok');
    await until(async () => (await redis.limits()) > 0);
    const connections = await cluster.query<{ ssl: boolean }>(
      `SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'consumer-service'`,
    );
    expect(connections.length).toBeGreaterThan(0);
    expect(connections.every(({ ssl }) => ssl)).toBe(true);
    await service.kill('SIGTERM');
  }, 180_000);

  it('refuses a PostgreSQL whose certificate has another name, or comes from a stranger', () => {
    const stranger = { ...env, NODE_EXTRA_CA_CERTS: '' };
    for (const [settings, reason] of [
      [{ ...env, DATABASE_URL: databaseUrl('127.0.0.1') }, /altnames|not in the cert/],
      [stranger, /certificate/],
    ] as const) {
      const { status, stderr } = spawnSync(process.execPath, ['dist/cli.js', 'db', 'status'], {
        env: { PATH: process.env.PATH, ...settings },
        encoding: 'utf8',
      });
      expect([status, stderr]).toEqual([1, expect.stringMatching(reason)]);
    }
  }, 180_000);

  it('counts in memory rather than in a Redis whose certificate has another name', async () => {
    const service = await ServiceProcess.start({ ...env, REDIS_URL: redisUrl('127.0.0.1') });
    await until(async () => (await service.health()) === 'degraded');
    await service.kill('SIGTERM');
    expect(service.output.join('')).toContain('Redis is away');
  }, 180_000);

  it('is encrypted to Sentinels, to the Redis that they name, and to its successor', async () => {
    const group = await RedisGroup.start(certificates);
    const sentinelEnv = { ...env, REDIS_URL: group.url };
    const client = CreatedTouchpoint.create(sentinelEnv, 'kiosk', '--rate-limit', '100000/3600');
    const service = await ServiceProcess.start(sentinelEnv);
    const countsIn = async (limited: RedisProcess) => {
      expect((await client.clientOf(service).get('/api/v1/reference/countries')).status).toBe(200);
      return (await limited.limits()) > 0;
    };
    await until(() => countsIn(group.primary));
    const successor = await group.failOver();
    await until(async () => (await service.health()) === 'degraded');
    await until(async () => (await service.health()) === 'ok');
    // What the primary has handed on does not count.
    await successor.flush();
    await until(() => countsIn(successor));
    await service.kill('SIGTERM');
    await group.end();
  }, 180_000);
});
