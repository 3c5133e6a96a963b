import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import { DatabaseServer } from '../database/connection/database-server';
import { RedisConnection } from '../redis/redis';
import { gauge } from './gauge';
import { Metrics } from './metrics';

/** The connections of this process to its database and Redis. */
@Injectable()
export class DependencyMetrics {
  constructor(
    @Inject(Metrics) { registry }: Metrics,
    @InjectDataSource() dataSource: DataSource,
    server: DatabaseServer,
    redis: RedisConnection,
  ) {
    const pool = (dataSource.driver as unknown as { master: Pool }).master;
    gauge(registry, 'consumer_service_database_embedded', '1 with the embedded database.', () =>
      Number(server.isEmbedded),
    );
    gauge(registry, 'consumer_service_database_pool_connections', 'Open connections.', () => pool.totalCount);
    gauge(registry, 'consumer_service_database_pool_idle', 'Idle connections.', () => pool.idleCount);
    gauge(
      registry,
      'consumer_service_database_pool_waiting',
      'Requests that wait for a connection.',
      () => pool.waitingCount,
    );
    gauge(registry, 'consumer_service_database_pool_limit', 'Maximum of open connections.', () => pool.options.max);
    if (redis.client) {
      gauge(registry, 'consumer_service_redis_up', '1 if Redis can be used; absent without REDIS_URL.', () =>
        Number(!redis.isAway),
      );
    }
  }
}
