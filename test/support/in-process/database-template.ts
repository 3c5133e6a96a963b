import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { AppConfig } from '../../../src/platform/settings/config';
import { DatabaseServer } from '../../../src/platform/database/connection/database-server';
import { migrate } from '../../../src/platform/database/migrations/migrations';

const ROOT = join(__dirname, '../../..');
const DATABASE = 'database';

/** Everything that an embedded database is made of before anybody has used it. */
const INGREDIENTS = ['package-lock.json', ...filesOf('migrations'), ...filesOf('src/platform/database/embedded')];

/** Gives this data directory an embedded database with today's schema and nothing in it, by a copy of one made before. */
export async function copyTemplateTo(dataDir: string): Promise<void> {
  const template = join(tmpdir(), `consumer-service-template-${digest(INGREDIENTS)}`);
  if (!existsSync(template)) await make(template);
  cpSync(join(template, DATABASE), join(dataDir, DATABASE), { recursive: true });
}

/** It appears complete or not at all; of two that make it at once, one is kept. */
async function make(template: string): Promise<void> {
  const draft = await mkdtemp(`${template}-`);
  await createDatabaseIn(draft);
  try {
    await rename(draft, template);
  } catch (error) {
    if (!existsSync(template)) throw error;
    await rm(draft, { recursive: true });
  }
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

function filesOf(directory: string): string[] {
  return readdirSync(join(ROOT, directory)).map((name) => join(directory, name));
}

function digest(files: string[]): string {
  const hash = createHash('sha256');
  for (const file of files) hash.update(`${file}\n`).update(readFileSync(join(ROOT, file)));
  return hash.digest('hex').slice(0, 16);
}
