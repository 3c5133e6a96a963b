import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { DataSourceOptions } from 'typeorm';
import type { AppConfig } from '../../settings/config';
import type { ProcessRole } from '../../process-role';
import { DatabasePool, type DatabasePoolConfig } from './database-pool';
import { type EmbeddedDatabase, openEmbeddedDatabase } from '../embedded/embedded-database';
import { MIGRATIONS } from '../migrations/migrations';
import { LOCK_TIMEOUT } from '../patience';
import { NamingStrategy } from '../naming.strategy';
import { preparingClient } from './preparing-client';

/** Deadlines in milliseconds: the server's own for a statement, and ours for a server that no longer answers. */
const STATEMENT_TIMEOUT = 5_000;
const QUERY_TIMEOUT = 6_000;
/** No transaction of ours pauses that long: its process or the network is gone, and its locks must end. */
const IDLE_IN_TRANSACTION_TIMEOUT = 10_000;
const CONNECT_TIMEOUT = 2_000;
const POOL_SIZE = 10;
/** Long, because each new connection must plan its statements again. */
const IDLE_TIMEOUT = 300_000;
/** So that no balancer or firewall on the way drops an idle connection. */
const KEEP_ALIVE_DELAY = 60_000;

/** Shorter for a lock, so that a locked table does not hold every connection until the statement's deadline. */
const SERVER_DEADLINES = {
  statement_timeout: STATEMENT_TIMEOUT,
  lock_timeout: LOCK_TIMEOUT,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT,
};

/** The PostgreSQL that this process talks to: a server elsewhere, or the embedded one. */
@Injectable()
export class DatabaseServer implements OnApplicationShutdown {
  private constructor(
    private readonly url: string | undefined,
    private readonly embedded: EmbeddedDatabase | undefined,
  ) {}

  static async open(config: AppConfig, role: ProcessRole, onFatal: (error: Error) => void): Promise<DatabaseServer> {
    if (config.databaseUrl !== undefined) return new DatabaseServer(config.databaseUrl, undefined);
    const lockRole = role === 'service' ? role : 'cli';
    return new DatabaseServer(
      undefined,
      await openEmbeddedDatabase({ dataDir: config.dataDir, role: lockRole, onFatal }),
    );
  }

  get isEmbedded(): boolean {
    return this.embedded !== undefined;
  }

  dataSourceOptions(): DataSourceOptions {
    return {
      type: 'postgres',
      driver: { Pool: DatabasePool },
      ...this.address(),
      poolSize: POOL_SIZE,
      connectTimeoutMS: CONNECT_TIMEOUT,
      applicationName: 'consumer-service',
      namingStrategy: new NamingStrategy(),
      migrations: MIGRATIONS,
      migrationsTableName: 'migration',
      installExtensions: false,
      extra: {
        query_timeout: QUERY_TIMEOUT,
        idleTimeoutMillis: IDLE_TIMEOUT,
        keepAlive: true,
        keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY,
        // The embedded database knows no statement timeout, and its connections share what one of them prepares.
        ...(!this.embedded && { ...SERVER_DEADLINES, Client: preparingClient() }),
        // Its one session may be busy for seconds, and a heartbeat watches its thread.
        watched: !this.embedded,
      } satisfies DatabasePoolConfig,
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.embedded?.close();
  }

  private address() {
    if (!this.embedded) return { url: this.url };
    const { user: username, ...address } = this.embedded.connection;
    return { ...address, username };
  }
}
