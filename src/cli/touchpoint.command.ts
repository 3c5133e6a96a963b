import { Command } from 'nest-commander';
import { CommandGroup } from './command-group';
import { TouchpointCreateCommand } from './touchpoint-create.command';
import { TouchpointDisableCommand, TouchpointEnableCommand } from './touchpoint-enable.commands';
import { TouchpointListCommand } from './touchpoint-list.command';
import { TouchpointProviderCommand } from './touchpoint-provider.command';
import { TouchpointRotateKeyCommand } from './touchpoint-rotate-key.command';
import { TouchpointShowCommand } from './touchpoint-show.command';
import { TouchpointUpdateCommand } from './touchpoint-update.command';

@Command({
  name: 'touchpoint',
  description: 'Administer touchpoints',
  subCommands: [
    TouchpointCreateCommand,
    TouchpointListCommand,
    TouchpointShowCommand,
    TouchpointUpdateCommand,
    TouchpointRotateKeyCommand,
    TouchpointDisableCommand,
    TouchpointEnableCommand,
    TouchpointProviderCommand,
  ],
})
export class TouchpointCommand extends CommandGroup {}
