import { mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type INestApplication, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Logger } from 'pino';
import { DataSource } from 'typeorm';
import { AppModule } from '../../../src/app/app.module';
import { configureApp } from '../../../src/app/configure-app';
import { AppConfig } from '../../../src/platform/settings/config';
import { TransferModule } from '../../../src/consumers/transfer/transfer.module';
import { SERVICE_ORIGIN } from '../../../src/audit/origin';
import type { Clock } from '../../../src/platform/clock';
import { MetricsServer } from '../../../src/platform/metrics/metrics-server';
import { ApiAdapter } from '../../../src/platform/http/server/api-adapter';
import { createLogger, NestLog } from '../../../src/platform/logger';
import { newId } from '../../../src/platform/random';
import { AuthenticationMode, ChannelProof } from '../../../src/touchpoints/touchpoint.entity';
import {
  type TouchpointSettings,
  TouchpointsService,
} from '../../../src/touchpoints/administration/touchpoints.service';
import { ApiClient } from '../api/api-client';
import { copyTemplateTo } from './database-template';
import { createTestDatabase, type TestDatabase } from '../service/database/test-database';

export interface TestAppOptions {
  env?: Record<string, string>;
  clock?: Clock;
  logger?: Logger;
  /** Instead of a database of its own: another replica of that app. */
  replicaOf?: TestApp;
  /** Begin with no database at all, as on the first start, instead of with an empty one. */
  unprepared?: boolean;
}

/** The service, and what only commands use of its database. */
@Module({})
class Everything {}

/** The real service, listening on a port of its own, with a database of its own. */
export class TestApp {
  private constructor(
    readonly nest: INestApplication,
    readonly baseUrl: string,
    readonly env: Record<string, string>,
    private readonly dispose: () => Promise<void>,
  ) {}

  static async start({
    env = {},
    clock,
    logger: givenLogger,
    replicaOf,
    unprepared = false,
  }: TestAppOptions = {}): Promise<TestApp> {
    const dataDir = await mkdtemp(join(tmpdir(), 'consumer-service-test-'));
    let database: TestDatabase | undefined;
    const settings: Record<string, string> = {
      DATA_DIR: dataDir,
      PORT: '0',
      BCRYPT_COST: '4',
      HASH_WORKERS: '1',
      HASH_QUEUE_LIMIT: '1000',
      RATE_LIMIT_BURST: '0',
      RATE_LIMIT_SUSTAINED: '0',
      LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    };
    if (process.env.TEST_REDIS_URL !== undefined) settings.REDIS_URL = process.env.TEST_REDIS_URL;
    if (replicaOf) Object.assign(settings, replicaOf.env, { PORT: '0', DATABASE_URL: replicaOf.databaseUrl });
    else if (process.env.TEST_DATABASE_URL !== undefined) {
      database = await createTestDatabase(process.env.TEST_DATABASE_URL);
      settings.DATABASE_URL = database.url;
    }
    Object.assign(settings, env);
    if (settings.DATABASE_URL === undefined && env.DATA_DIR === undefined && !unprepared) await copyTemplateTo(dataDir);

    const config = new AppConfig(settings);
    const logger = givenLogger ?? createLogger(config.logLevel);
    const service = AppModule.forRoot({ config, logger, clock });
    const nest = await NestFactory.create(
      { module: Everything, imports: [service, TransferModule] },
      new ApiAdapter(),
      {
        bodyParser: false,
        abortOnError: false,
        logger: new NestLog(logger),
      },
    );
    configureApp(nest);
    await nest.listen(0, '127.0.0.1').catch(async (error: unknown) => {
      await nest.close();
      throw error;
    });
    const { port } = (nest.getHttpServer() as Server).address() as AddressInfo;
    return new TestApp(nest, `http://127.0.0.1:${port}`, settings, async () => {
      await nest.close();
      await database?.drop();
      await rm(dataDir, { recursive: true, force: true });
    });
  }

  get dataSource(): DataSource {
    return this.nest.get(DataSource);
  }

  /** How another process reaches the same database; an embedded one by the socket of the process that has it. */
  get databaseUrl(): string {
    const { url, host, port } = this.dataSource.options as { url?: string; host?: string; port?: number };
    return url ?? `postgres://postgres@localhost:${port}/postgres?host=${encodeURIComponent(host ?? '')}`;
  }

  /** Where the metrics are read; only with METRICS_PORT. */
  get metricsAddress(): string {
    return `http://127.0.0.1:${this.nest.get(MetricsServer).port}/metrics`;
  }

  get touchpoints(): TouchpointsService {
    return this.nest.get(TouchpointsService);
  }

  /** A client with the credential of a new touchpoint. */
  async client(settings: Partial<TouchpointSettings> = {}): Promise<ApiClient> {
    const complete = {
      name: 'Test',
      authenticationMode: AuthenticationMode.Password,
      channelProof: ChannelProof.None,
      rateLimit: null,
      ...settings,
    };
    const { touchpoint, key } = await this.touchpoints.create(`test-${newId()}`, complete, SERVICE_ORIGIN);
    return new ApiClient(this.baseUrl, { 'X-Touchpoint-Code': touchpoint.code, 'X-Touchpoint-Key': key });
  }

  close(): Promise<void> {
    return this.dispose();
  }
}
