import { Command } from 'nest-commander';
import { CommandGroup } from './command-group';
import { ConsumerEraseCommand } from './consumer-erase.command';
import { ConsumerExportAllCommand } from './consumer-export-all.command';
import { ConsumerExportCommand } from './consumer-export.command';
import { ConsumerImportCommand } from './consumer-import.command';
import { ConsumerSessionsCommand } from './consumer-sessions.commands';
import { ConsumerShowCommand } from './consumer-show.command';
import { ConsumerUnlinkCommand } from './consumer-unlink.command';

@Command({
  name: 'consumer',
  description: 'Look at consumers, and serve their rights to their data',
  subCommands: [
    ConsumerShowCommand,
    ConsumerExportCommand,
    ConsumerSessionsCommand,
    ConsumerUnlinkCommand,
    ConsumerEraseCommand,
    ConsumerImportCommand,
    ConsumerExportAllCommand,
  ],
})
export class ConsumerCommand extends CommandGroup {}
