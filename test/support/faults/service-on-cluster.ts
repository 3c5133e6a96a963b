import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiClient } from '../api/api-client';
import { PostgresCluster } from './postgres-cluster';
import { CreatedTouchpoint, ServiceProcess } from '../service/service-process';

/** Enough for three services and a command, and so few that a test can take them all. */
export const MAX_CONNECTIONS = 45;

/** A service, and the PostgreSQL of its own that it stands on, to be broken under it. */
export class ServiceOnCluster {
  private constructor(
    readonly cluster: PostgresCluster,
    readonly env: Record<string, string>,
    readonly touchpoint: CreatedTouchpoint,
    readonly service: ServiceProcess,
  ) {}

  static async start(): Promise<ServiceOnCluster> {
    const cluster = await PostgresCluster.start({ max_connections: MAX_CONNECTIONS });
    const env = {
      DATA_DIR: await mkdtemp(join(tmpdir(), 'postgres-faults-')),
      DATABASE_URL: cluster.url,
      BCRYPT_COST: '4',
      HASH_QUEUE_LIMIT: '1000',
      RATE_LIMIT_BURST: '0',
      RATE_LIMIT_SUSTAINED: '0',
    };
    const touchpoint = CreatedTouchpoint.create(env, 'shop');
    return new ServiceOnCluster(cluster, env, touchpoint, await ServiceProcess.start(env));
  }

  get client(): ApiClient {
    return this.touchpoint.clientOf(this.service);
  }

  /** Ends every connection of the service, and waits so long at most until each is gone; it may use one before. */
  endConnections(patienceMs = 0): Promise<unknown> {
    return this.cluster.query(endingConnections(patienceMs));
  }

  async dispose(): Promise<void> {
    await this.service.kill('SIGTERM');
    await this.cluster.dispose();
    await rm(this.env.DATA_DIR ?? '', { recursive: true, force: true });
  }
}

/** The statement, for a test that must send it over a connection which it has already. */
export const endingConnections = (patienceMs = 0): string =>
  `SELECT pg_terminate_backend(pid, ${patienceMs}) FROM pg_stat_activity WHERE application_name = 'consumer-service'`;
