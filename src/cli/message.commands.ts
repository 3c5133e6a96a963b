import type { Command } from 'commander';
import { command, commandGroup, type CommonOptions } from './command';
import { printResult } from './output';
import { withServices } from './services';

export const messageCommands = (): Command =>
  commandGroup(
    'message',
    'Manage messages to consumers',
    [
      list(),
      acting('retry', 'Try a message at once that waits for its next attempt or was given up'),
      acting('drop', 'Delete a message that was not handed over'),
    ],
    ['message list --to ada@example.com', 'message retry 0192f0c1-7a3e-7b2a-9c55-0f2d6f0f6a11'],
  );

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

const acting = (act: 'retry' | 'drop', description: string): Command =>
  command(act, description)
    .argument('<id>')
    .action(async (id: string, options: CommonOptions) => {
      const { commandOrigin } = await import('../audit/origin.js');
      const { MessageAdministration } = await import('../messages/message-administration.js');
      const { MessagesModule } = await import('../messages/messages.module.js');
      await withServices({ imports: [MessagesModule] }, async (services) => {
        printResult(await services.get(MessageAdministration)[act](id, commandOrigin()), options);
      });
    });
