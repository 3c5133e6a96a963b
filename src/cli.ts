import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { auditCommands } from './cli/audit.commands';
import { boldTitle, commandGroup, fullName } from './cli/command';
import { completionCommand } from './cli/completion/completion.command';
import { consumerCommands } from './cli/consumer/consumer.commands';
import { dbCommands } from './cli/db.commands';
import { keysCommands } from './cli/keys.commands';
import { messageCommands } from './cli/message.commands';
import { operatorCommands } from './cli/operator.commands';
import { printFailure, watchOutput } from './cli/output';
import { Interrupted } from './cli/questions';
import { subscriberCommands } from './cli/subscriber/subscriber.commands';
import { touchpointCommands } from './cli/touchpoint/touchpoint.commands';
import { SettingsError } from './platform/settings/settings-error';

/** As shells count a command that Ctrl-C has ended. */
const INTERRUPTED = 130;

/** Messages go to standard error: standard output belongs to the result. */
function fail(error: unknown): never {
  // Node's error for a name with several addresses, none of which answers, says nothing itself.
  const cause: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const message = cause instanceof Error ? cause.message : String(cause);
  // Settings get a line each; what was typed may hold a line break.
  printFailure(cause instanceof SettingsError ? message : inOneLine(message));
  process.exit(cause instanceof Interrupted ? INTERRUPTED : 1);
}

const inOneLine = (text: string): string => text.trim().replace(/\s*\n\s*/g, ' ');

/** What the parser refuses is told as every other failure; it puts what it suggests on a line of its own. */
function tellRefusals(command: Command): void {
  const name = fullName(command);
  const help = [name, '--help'].join(' ').trim();
  command.configureOutput({
    outputError: (text) => {
      const reason = inOneLine(text).replace(/^error: /, '');
      if (name === '' || !reason.startsWith("unknown command '")) printFailure(reason, `See ${help}`);
      else printFailure(`${reason.replace("'", `'${name} `)}${reason.endsWith("'") ? `; see ${help}` : ''}`);
    },
  });
  command.configureHelp({ styleTitle: boldTitle });
  command.commands.forEach(tellRefusals);
}

async function main(): Promise<void> {
  watchOutput();
  if (existsSync('.env')) process.loadEnvFile('.env');
  const program = commandGroup('cli', 'Administer the consumer service', [
    auditCommands(),
    completionCommand(),
    consumerCommands(),
    dbCommands(),
    keysCommands(),
    messageCommands(),
    operatorCommands(),
    subscriberCommands(),
    touchpointCommands(),
  ]);
  tellRefusals(program);
  await program.parseAsync();
}

main().catch(fail);
