import { Command } from 'nest-commander';
import { CommandGroup } from './command-group';
import { ConsumerEraseCommand } from './consumer-erase.command';
import { ConsumerExportCommand } from './consumer-export.command';
import { ConsumerSessionsCommand } from './consumer-sessions.commands';
import { ConsumerShowCommand } from './consumer-show.command';

@Command({
  name: 'consumer',
  description: 'Look at consumers, and serve their rights to their data',
  subCommands: [ConsumerShowCommand, ConsumerExportCommand, ConsumerSessionsCommand, ConsumerEraseCommand],
})
export class ConsumerCommand extends CommandGroup {}
