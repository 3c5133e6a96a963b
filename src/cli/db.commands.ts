import type { Command } from 'commander';
import { command, commandGroup, type CommonOptions } from './command';
import { printResult } from './output';
import { withServices } from './services';

export const dbCommands = (): Command =>
  commandGroup('db', 'Look after the database schema', [
    command('migrate', 'Apply pending migrations').action((options: CommonOptions) => showSchema(options, true)),
    command('status', 'Show applied and pending migrations').action((options: CommonOptions) =>
      showSchema(options, false),
    ),
  ]);

async function showSchema(options: CommonOptions, migrateFirst: boolean): Promise<void> {
  const { DataSource } = await import('typeorm');
  const { migrate, migrationStatus } = await import('../platform/database/migrations/migrations.js');
  await withServices({}, async (services) => {
    const dataSource = services.get(DataSource);
    if (migrateFirst) await migrate(dataSource);
    printResult(await migrationStatus(dataSource), options);
  });
}
