import { Command, Option, SubCommand } from 'nest-commander';
import { MessageList } from '../platform/messages/message-list';
import { CommandGroup } from './command-group';
import { JsonCommand } from './json-command';

@SubCommand({ name: 'list', description: 'List messages not yet handed over, and those in the development mailbox' })
class MessageListCommand extends JsonCommand {
  constructor(private readonly messages: MessageList) {
    super();
  }

  async run(_: string[], options: { json?: boolean; to?: string }): Promise<void> {
    this.print(await this.messages.list({ to: options.to }), options);
  }

  @Option({ flags: '--to <address>', description: 'only those to this e-mail address or phone number' })
  parseTo(value: string): string {
    return value;
  }
}

@Command({ name: 'message', description: 'Look at messages to consumers', subCommands: [MessageListCommand] })
export class MessageCommand extends CommandGroup {}
