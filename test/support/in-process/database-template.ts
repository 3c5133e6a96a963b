import { DataSource } from 'typeorm';
import { DatabaseServer } from '../../../src/platform/database/connection/database-server';
import { migrate } from '../../../src/platform/database/migrations/migrations';
import { AppConfig } from '../../../src/platform/settings/config';
import { TemplateDatabase } from '../service/database/template-database';
import './compiled-database';

const template = new TemplateDatabase(
  'schema',
  ['package-lock.json', 'migrations', 'src/platform/database/embedded'],
  createDatabaseIn,
);

/** Gives this data directory an embedded database with today's schema and nothing in it. */
export async function copyTemplateTo(dataDir: string): Promise<void> {
  await template.prepare();
  await template.copyTo(dataDir);
}

async function createDatabaseIn(dataDir: string): Promise<void> {
  const config = new AppConfig({ DATA_DIR: dataDir });
  const server = await DatabaseServer.open(config, 'service', (error) => {
    throw error;
  });
  const dataSource = await new DataSource(server.dataSourceOptions()).initialize();
  await migrate(dataSource);
  await dataSource.destroy();
  await server.onApplicationShutdown();
}
