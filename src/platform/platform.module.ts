import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Logger } from 'pino';
import type { DataSource, DataSourceOptions } from 'typeorm';
import { AppConfig } from './settings/config';
import { Clock } from './clock';
import { DatabaseUnavailable, reasonOf } from './database/connection/database-errors';
import { DatabaseServer } from './database/connection/database-server';
import { migrate, migrationStatus } from './database/migrations/migrations';
import { RetryingDataSource } from './database/connection/retrying-data-source';
import { StoredRemains } from './database/stored-remains';
import { ExpiredRows } from './jobs/expired-rows';
import { ScheduledJobRepository } from './jobs/scheduled-job.repository';
import { ScheduledJobs } from './jobs/scheduled-jobs';
import { Lifecycle } from './lifecycle';
import { LOGGER } from './logger';
import { metricsProviders } from './metrics/metrics.providers';
import { PROCESS_ROLE, type ProcessRole } from './process-role';
import { RedisConnection } from './redis/redis';
import { SANDBOX, type Sandbox } from './sandbox';
import { Secrets } from './secrets/secrets';

export interface PlatformOptions {
  config: AppConfig;
  logger: Logger;
  role: ProcessRole;
  clock?: Clock;
  sandbox?: Sandbox | null;
}

/**
 * What every feature stands on: settings, time, randomness, secrets, the log, the database, Redis, scheduled jobs, metrics and
 * how HTTP is spoken. It knows no feature, no route and no message of theirs; all others stand above. Owns the table
 * `scheduled_job`, and TypeORM's `migration`.
 */
@Global()
@Module({})
export class PlatformModule {
  static forRoot({ config, logger, role, clock = new Clock(), sandbox = null }: PlatformOptions): DynamicModule {
    const onFatal = (err: Error) => {
      logger.fatal({ err }, 'The embedded database failed');
      process.exit(1);
    };
    const providers: Provider[] = [
      { provide: AppConfig, useValue: config },
      { provide: LOGGER, useValue: logger },
      { provide: Clock, useValue: clock },
      { provide: PROCESS_ROLE, useValue: role },
      { provide: SANDBOX, useValue: sandbox },
      { provide: DatabaseServer, useFactory: () => DatabaseServer.open(config, role, onFatal) },
      { provide: Secrets, useFactory: () => new Secrets(config) },
      {
        provide: RedisConnection,
        useFactory: () => RedisConnection.to(role === 'cli' ? undefined : config.redisUrl, logger),
      },
      Lifecycle,
      ScheduledJobRepository,
      ScheduledJobs,
      StoredRemains,
      ExpiredRows,
      ...metricsProviders(role, config),
    ];
    return {
      module: PlatformModule,
      imports: [
        TypeOrmModule.forRootAsync({
          inject: [DatabaseServer],
          useFactory: (server: DatabaseServer) => ({
            ...server.dataSourceOptions(),
            autoLoadEntities: true,
            // What stays waits for a database that is starting; a command says at once what is wrong.
            retryAttempts: role === 'cli' ? 0 : 10,
            retryDelay: 1_000,
            verboseRetryLog: true,
          }),
          dataSourceFactory: (options) => connect(options, role),
        }),
      ],
      providers,
      exports: providers,
    };
  }
}

/** What stays brings the schema up to date; a command only fills an empty database, and leaves upgrades to `db migrate`. */
async function connect(options: DataSourceOptions | undefined, role: ProcessRole): Promise<DataSource> {
  if (!options) throw new Error('The data source has no options');
  const dataSource = await new RetryingDataSource(options).initialize().catch((error: unknown) => {
    throw new DatabaseUnavailable(`The database${place(options)} cannot be used: ${reasonOf(error)}`, { cause: error });
  });
  try {
    if (role !== 'cli' || (await migrationStatus(dataSource)).applied.length === 0) await migrate(dataSource);
    return dataSource;
  } catch (error) {
    // The next try opens connections of its own.
    await dataSource.destroy().catch(() => undefined);
    throw error;
  }
}

/** Where the database is, without the credentials of its address. */
function place(options: DataSourceOptions): string {
  const { host } = 'url' in options && options.url !== undefined ? new URL(options.url) : { host: '' };
  return host === '' ? '' : ` at ${host}`;
}
