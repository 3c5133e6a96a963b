import type { Command } from 'commander';
import { Clock } from '../platform/clock';
import { command, commandGroup, type CommonOptions } from './command';
import { printResult } from './output';
import { Progress } from './progress';
import { withServices } from './services';

export const dbCommands = (): Command =>
  commandGroup(
    'db',
    'Manage the database schema',
    [
      command('migrate', 'Apply pending migrations').action((options: CommonOptions) => showSchema(options, true)),
      command('status', 'Show applied and pending migrations').action((options: CommonOptions) =>
        showSchema(options, false),
      ),
    ],
    ['db status', 'db migrate'],
  );

async function showSchema(options: CommonOptions, migrateFirst: boolean): Promise<void> {
  const { DataSource } = await import('typeorm');
  const { migrate, migrationStatus } = await import('../platform/database/migrations/migrations.js');
  await withServices({}, async (services) => {
    const dataSource = services.get(DataSource);
    if (migrateFirst) {
      const progress = new Progress('migrations', services.get(Clock));
      const { length: total } = (await migrationStatus(dataSource)).pending;
      await migrate(dataSource, (doing, left) => {
        progress.update({ count: total - left, part: (total - left) / total, doing });
      }).finally(() => {
        progress.end();
      });
    }
    printResult(await migrationStatus(dataSource), options);
  });
}
