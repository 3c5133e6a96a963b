import type { Command } from 'commander';
import { command, commandGroup, type CommonOptions } from './command';
import { printResult } from './output';
import { withServices } from './services';

export const messageCommands = (): Command => commandGroup('message', 'Look at messages to consumers', [list()]);

const list = (): Command =>
  command('list', 'List messages not yet handed over, and those in the development mailbox')
    .option('--to <address>', 'only those to this e-mail address or phone number')
    .action(async (options: CommonOptions & { to?: string }) => {
      const { MessageList } = await import('../messages/message-list.js');
      const { MessagesModule } = await import('../messages/messages.module.js');
      await withServices({ imports: [MessagesModule] }, async (services) => {
        printResult(await services.get(MessageList).list({ to: options.to }), options);
      });
    });
