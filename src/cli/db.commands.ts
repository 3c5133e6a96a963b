import { InjectDataSource } from '@nestjs/typeorm';
import { Command, CommandRunner, SubCommand } from 'nest-commander';
import { DataSource } from 'typeorm';
import { migrate, migrationStatus } from '../platform/database/migrations';
import { JsonCommand } from './json-command';

@SubCommand({ name: 'migrate', description: 'Apply pending migrations' })
export class DbMigrateCommand extends JsonCommand {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {
    super();
  }

  async run(_: string[], options: { json?: boolean }): Promise<void> {
    await migrate(this.dataSource);
    this.print(await migrationStatus(this.dataSource), options);
  }
}

@SubCommand({ name: 'status', description: 'Show applied and pending migrations' })
export class DbStatusCommand extends JsonCommand {
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
export class DbCommand extends CommandRunner {
  run(): Promise<void> {
    this.command.help({ error: true });
  }
}
