import { InjectDataSource } from '@nestjs/typeorm';
import { Command, SubCommand } from 'nest-commander';
import { DataSource } from 'typeorm';
import { migrate, migrationStatus } from '../platform/database/migrations';
import { CommandGroup } from './command-group';
import { JsonCommand } from './json-command';

@SubCommand({ name: 'migrate', description: 'Apply pending migrations' })
class DbMigrateCommand extends JsonCommand {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {
    super();
  }

  async run(_: string[], options: { json?: boolean }): Promise<void> {
    await migrate(this.dataSource);
    this.print(await migrationStatus(this.dataSource), options);
  }
}

@SubCommand({ name: 'status', description: 'Show applied and pending migrations' })
class DbStatusCommand extends JsonCommand {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {
    super();
  }

  async run(_: string[], options: { json?: boolean }): Promise<void> {
    this.print(await migrationStatus(this.dataSource), options);
  }
}

@Command({
  name: 'db',
  description: 'Look after the database schema',
  subCommands: [DbMigrateCommand, DbStatusCommand],
})
export class DbCommand extends CommandGroup {}
